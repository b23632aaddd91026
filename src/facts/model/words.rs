//! The closed sets of words that facts are told in; each word stands in the facts' schema.

/// Defines an enum of words and the word for each variant.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "a variant means its word in the facts' schema")]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// Every word, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word in the facts' schema.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

words! {
    /// How parsing ended.
    ParseStatus { Ok = "ok", Recovered = "recovered", Failed = "failed" }
}

words! {
    /// What in the bytes is unusual enough to be said.
    AnomalyKind {
        BareCr = "bare_cr", EncodingCookie = "encoding_cookie", Bom = "bom", Nul = "nul",
        NonUtf8 = "non_utf8", NonNfkcIdentifier = "non_nfkc_identifier",
        BidiControl = "bidi_control", Confusable = "confusable",
        LegacyStatement = "legacy_statement", RuntimeSyntax = "runtime_syntax",
        SuppressionComment = "suppression_comment", LongLine = "long_line",
        FutureImport = "future_import",
    }
}

words! {
    /// What kind of thing could not be proved.
    GapKind {
        Syntax = "syntax", Bytes = "bytes", Limit = "limit", Language = "language",
        Callee = "callee", Attribute = "attribute", OwnAttribute = "own_attribute",
        Import = "import", Code = "code", Path = "path", Host = "host",
        Arguments = "arguments", Format = "format", Namespace = "namespace",
        Statement = "statement",
    }
}

words! {
    /// How surely a name is known: one candidate, several, or none (and then there is a gap).
    Resolution { Exact = "exact", Possible = "possible", Unknown = "unknown" }
}

words! {
    /// The shape of an import statement.
    ImportForm { Import = "import", From = "from", Star = "star", Relative = "relative" }
}

words! {
    /// How the code comes to hold a module.
    ModuleRoute {
        Import = "import", DynamicImport = "dynamic-import", Attribute = "attribute",
        SysModules = "sys.modules", Namespace = "namespace", Loader = "loader",
        SubclassWalk = "subclass-walk", Frame = "frame", Query = "query",
    }
}

words! {
    /// When a call happens.
    When {
        Always = "always", Conditional = "conditional", Handler = "handler",
        Deferred = "deferred", Unreachable = "unreachable",
    }
}

words! {
    /// A call that is not written as one.
    Implicit {
        Decorator = "decorator", Operator = "operator", With = "with", Iteration = "iteration",
        Format = "format", Subscript = "subscript", Attribute = "attribute",
        ClassCreation = "class-creation", Finaliser = "finaliser", Await = "await",
    }
}

words! {
    /// Where a value is used.
    Role {
        Argument = "argument", Assigned = "assigned", Returned = "returned",
        Yielded = "yielded", Default = "default", Container = "container",
        Decorator = "decorator", AttributeWrite = "attribute-write", Raised = "raised",
        Matched = "matched", Closure = "closure",
    }
}

words! {
    /// How code is made at run time.
    DynamicKind {
        Exec = "exec", Eval = "eval", Compile = "compile", Import = "import",
        CodeObject = "code-object", Unpickle = "unpickle", Ffi = "ffi",
        Debugger = "debugger", Interpreter = "interpreter",
        AnnotationEval = "annotation-eval", Doctest = "doctest",
        ConfigFactory = "config-factory", PandasQuery = "pandas.query",
        PandasEval = "pandas.eval", Template = "template",
    }
}

words! {
    /// How the object graph is used.
    ReflectionKind {
        Dunder = "dunder", Frame = "frame", Format = "format", Match = "match",
        Namespace = "namespace", Gc = "gc", StaticAttr = "static-attr",
        CodeAttr = "code-attr", NameLookup = "name-lookup",
    }
}

words! {
    /// What kind of thing a resource is.
    ResourceKind {
        File = "file", Host = "host", Process = "process", Env = "env", Table = "table",
        Statement = "statement",
    }
}

words! {
    /// Where a resource lies.
    Place {
        Workspace = "workspace", Outside = "outside", Unknown = "unknown", Memory = "memory",
        Host = "host", Remote = "remote",
    }
}

words! {
    /// How a binding changes what a name means.
    BindingKind {
        ShadowBuiltin = "shadow_builtin", ShadowModule = "shadow_module",
        Monkeypatch = "monkeypatch", GlobalRebind = "global_rebind",
        SysModulesWrite = "sys_modules_write", SysPathWrite = "sys_path_write",
        SetattrOpaque = "setattr_opaque", Del = "del",
    }
}

words! {
    /// Where a string stands.
    StringRole { Code = "code", Docstring = "docstring", Comment = "comment" }
}

words! {
    /// What a string looks like.
    Shape { Url = "url", Path = "path", Code = "code", Sql = "sql", SecretLike = "secret-like" }
}

words! {
    /// The kind of a scope.
    ScopeKind {
        Module = "module", Function = "function", Class = "class", Lambda = "lambda",
        Comprehension = "comprehension",
    }
}

words! {
    /// How a value is known: as written, computed, in part, as an object, or not at all.
    Level {
        Literal = "literal", Folded = "folded", Partial = "partial", Object = "object",
        Opaque = "opaque",
    }
}

words! {
    /// What a value was made by, out of others.
    Making {
        Concat = "concat", Format = "format", Percent = "percent", Fstring = "fstring",
        Join = "join", Slice = "slice", Replace = "replace", Case = "case", Strip = "strip",
        Split = "split", Repeat = "repeat", Chr = "chr", Bytes = "bytes", Decode = "decode",
        Base64 = "base64", Hex = "hex", Codec = "codec", Index = "index",
        DictLookup = "dict-lookup", PathJoin = "path-join",
    }
}

words! {
    /// Where an unknown value came from.
    Taint {
        Parameter = "parameter", Input = "input", File = "file", Env = "env",
        Network = "network", ToolResult = "tool_result", Random = "random", Clock = "clock",
        Unknown = "unknown",
    }
}
