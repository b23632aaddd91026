"""Tells what the modules of this image hold.

Runs inside the sandbox image. IMPORTS, which stands before this text, is `data/imports.json` of a
bundle; what is written is `image/python.json` of it. For every module that the bundle allows:
which members are public, which are other modules, and which are known by another name. For every
other module that can be reached from those through attributes: which members are modules.
The same image and the same bundle give the same bytes.
"""

import importlib
import json
import pkgutil
import sys
import types
import warnings

# Values that lead nowhere.
PLAIN = (type(None), bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset)
# What acts on the arguments of the process, or runs the tests of a library.
NEVER = {"main", "test"}


class Bundle:
    """What a bundle says of modules."""

    def __init__(self, imports):
        self.allowed = imports["allowed"]
        self.excluded = imports["excluded"]

    def lists(self, name):
        """Whether the rules let a program hold the module of this name."""
        if name in self.allowed:
            return True
        if is_private(name) or any(part in self.excluded for part in [*parents(name), name]):
            return False
        return any(self.whole(parent) for parent in parents(name))

    def whole(self, name):
        """Whether what lies below this module is allowed with it."""
        return self.allowed.get(name, {}).get("submodules", False)

    def searches(self, name):
        """Whether modules below this one may be listed without being named."""
        return any(self.whole(package) for package in [*parents(name), name])


def parents(name):
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def is_private(name):
    return any(part.startswith("_") for part in name.split("."))


def load(bundle):
    """Imports every module that the bundle allows and this image has."""
    modules, waiting = {}, sorted(bundle.allowed)
    for name in waiting:
        try:
            modules[name] = importlib.import_module(name)
        except ImportError:
            # It is not in this image, or needs what is not: no program can import it either.
            continue
        if bundle.searches(name):
            below = pkgutil.iter_modules(getattr(modules[name], "__path__", []), name + ".")
            waiting.extend(sorted(each.name for each in below if bundle.lists(each.name)))
    return modules


def name_of(module):
    """The name that a module is imported by."""
    if sys.modules.get(module.__name__) is module:
        return module.__name__
    held = [name for name, value in list(sys.modules.items()) if value is module]
    return min(held, default=module.__name__)


def members(module):
    """Every member by its name, those that are only made when they are asked for included."""
    found = dict(vars(module))
    for name in dir(module):
        if name not in found and hasattr(module, name):
            found[name] = getattr(module, name)
    return dict(sorted(found.items()))


def reach(modules):
    """Every module that can be come to through attributes, with these themselves."""
    reached, waiting = dict(modules), list(modules.values())
    while waiting:
        for value in list(vars(waiting.pop()).values()):
            if isinstance(value, types.ModuleType) and name_of(value) not in reached:
                reached[name_of(value)] = value
                waiting.append(value)
    reached.pop("__main__", None)
    return reached


class Homes:
    """The canonical names of functions and classes."""

    def __init__(self, bundle, reached):
        self.exported = {}
        for name in sorted(reached, key=lambda name: (not bundle.lists(name), name)):
            for member in sorted(getattr(reached[name], "__all__", [])):
                thing = getattr(reached[name], member, None)
                if callable(thing) and not is_private(name):
                    self.exported.setdefault(id(thing), f"{name}.{member}")

    def of(self, thing):
        """The name of a thing, or nothing where it has none."""
        module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
        if not callable(thing) or not isinstance(module, str) or not isinstance(name, str):
            return self.exported.get(id(thing))
        # What a private module defines is known by the package around it, where that has it.
        places = [place for place in [module, *reversed(parents(module))] if not is_private(place)]
        own = next((f"{place}.{name}" for place in places if find(place, name) is thing), None)
        if own is None:
            own = self.exported.get(id(thing))
        if own is None and find(module, name) is thing:
            own = f"{module}.{name}"
        return own.removeprefix("builtins.") if own else None


def find(module, name):
    """The thing of this name in a module, or nothing."""
    thing = sys.modules.get(module)
    for part in name.split("."):
        thing = getattr(thing, part, None)
    return thing


def is_public(bundle, module, name, thing):
    """Whether a member is one that programs are meant to use."""
    exported = getattr(module, "__all__", None)
    if name in NEVER:
        return False
    if exported is not None and name in exported:
        return True
    if name.startswith("_"):
        return False
    own = module.__name__
    if isinstance(thing, PLAIN) or is_typing(thing):
        return True
    if not callable(thing):
        return exported is None and package(type(thing).__module__) == package(own)
    where = getattr(thing, "__module__", None) or own
    if exported is None:
        return where in (own, f"_{own}") or where.startswith(f"{own}.") or bundle.lists(where)
    # Beside the list: a class, and what was given the name of this module on purpose.
    passed_up = where.startswith(f"{own}.") or where == f"_{own}"
    return passed_up or (where == own and (isinstance(thing, type) or not is_written_in(thing, module)))


def is_written_in(thing, module):
    """Whether the source of a function stands in the file of a module."""
    thing = getattr(thing, "__func__", thing)
    code = getattr(thing, "__code__", None)
    return code is not None and code.co_filename == getattr(module, "__file__", None)


def is_typing(thing):
    return type(thing).__module__ == "typing"


def package(name):
    return name.split(".")[0]


def tell(bundle, name, module, homes):
    """What one module holds."""
    modules, public, names = [], [], []
    for member, thing in members(module).items():
        if isinstance(thing, types.ModuleType):
            target = name_of(thing)
            modules.append(member if target == member else f"{member}={target}")
            continue
        if not bundle.lists(name):
            continue
        if is_public(bundle, module, member, thing):
            public.append(member)
        home = homes.of(thing)
        if home and home != f"{name}.{member}" and not member.startswith("__"):
            names.append(f"{member}={home}")
    told = {"modules": modules} if modules else {}
    if bundle.lists(name):
        told |= {"public": public, "names": names}
    return {kind: " ".join(words) for kind, words in told.items()}


def main():
    warnings.simplefilter("ignore")
    bundle = Bundle(json.loads(IMPORTS))
    reached = reach(load(bundle))
    homes = Homes(bundle, reached)
    told = {name: tell(bundle, name, module, homes) for name, module in sorted(reached.items())}
    lines = [f"    {json.dumps(name)}: {json.dumps(what)}" for name, what in told.items() if what]
    version = "%d.%d" % sys.version_info[:2]
    runtime = json.dumps({"name": sys.implementation.name, "version": version})
    print("{\n  \"runtime\": " + runtime + ",\n  \"modules\": {\n" + ",\n".join(lines) + "\n  }\n}")


main()
