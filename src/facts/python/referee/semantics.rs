//! What parses and does not compile: `return` outside a function, a name that is global and local,
//! and the like. The interpreter refuses such code whole, so that it does no harm.
//!
//! Must never refuse what compiles: where the context is not followed, it is taken to be right.

use ruff_python_ast::{Expr, PythonVersion, Stmt};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxChecker, SemanticSyntaxContext, SemanticSyntaxError,
    SemanticSyntaxErrorKind,
};
use ruff_text_size::TextRange;
use std::cell::RefCell;

/// What a function, a class or a comprehension around a place allows there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Module,
    Function,
    Class,
    Comprehension,
}

/// Where the walk stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    scope: Scope,
    /// Loops within the scope.
    loops: u32,
    /// Functions around, and coroutines among them.
    functions: u32,
    coroutines: u32,
}

/// The library's checker, and the context that it asks for.
#[derive(Debug)]
pub(super) struct Semantics<'tree> {
    checker: SemanticSyntaxChecker,
    context: Context<'tree>,
}

#[derive(Debug)]
struct Context<'tree> {
    around: Around,
    text: &'tree str,
    version: PythonVersion,
    refused: RefCell<Vec<TextRange>>,
}

impl<'tree> Semantics<'tree> {
    pub(super) fn new(text: &'tree str, version: PythonVersion) -> Self {
        let around = Around { scope: Scope::Module, loops: 0, functions: 0, coroutines: 0 };
        let refused = RefCell::default();
        let context = Context { around, text, version, refused };
        Self { checker: SemanticSyntaxChecker::new(), context }
    }

    pub(super) fn refused(self) -> Vec<TextRange> {
        let mut refused = self.context.refused.into_inner();
        refused.sort_by_key(|range| (range.start(), range.end()));
        refused.dedup();
        refused
    }

    /// Checks a statement and steps into it; gives where to go back to.
    pub(super) fn enter_stmt(&mut self, stmt: &Stmt) -> Around {
        self.checker.visit_stmt(stmt, &self.context);
        let around = self.context.around;
        if let Stmt::FunctionDef(function) = stmt {
            self.step(Scope::Function);
            self.context.around.coroutines += u32::from(function.is_async);
        } else if let Stmt::ClassDef(_) = stmt {
            self.step(Scope::Class);
        } else if let Stmt::For(_) | Stmt::While(_) = stmt {
            self.context.around.loops += 1;
        }
        around
    }

    /// The same for an expression.
    pub(super) fn enter_expr(&mut self, expr: &Expr) -> Around {
        self.checker.visit_expr(expr, &self.context);
        let around = self.context.around;
        if let Expr::Lambda(_) = expr {
            self.step(Scope::Function);
        } else if let Expr::ListComp(_)
        | Expr::SetComp(_)
        | Expr::DictComp(_)
        | Expr::Generator(_) = expr
        {
            self.step(Scope::Comprehension);
        }
        around
    }

    pub(super) fn leave(&mut self, around: Around) {
        self.context.around = around;
    }

    fn step(&mut self, scope: Scope) {
        let functions = self.context.around.functions + u32::from(scope == Scope::Function);
        self.context.around = Around { scope, loops: 0, functions, ..self.context.around };
    }
}

impl SemanticSyntaxContext for Context<'_> {
    fn future_annotations_or_stub(&self) -> bool {
        false
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        None
    }

    fn python_version(&self) -> PythonVersion {
        self.version
    }

    fn source(&self) -> &str {
        self.text
    }

    fn global(&self, _: &str) -> Option<TextRange> {
        None
    }

    fn has_nonlocal_binding(&self, _: &str) -> bool {
        true
    }

    fn in_async_context(&self) -> bool {
        self.around.coroutines > 0
    }

    fn in_await_allowed_context(&self) -> bool {
        self.around.functions > 0
    }

    fn in_yield_allowed_context(&self) -> bool {
        self.around.functions > 0
    }

    fn in_sync_comprehension(&self) -> bool {
        false
    }

    fn in_class_body_comprehension(&self) -> bool {
        false
    }

    fn in_module_scope(&self) -> bool {
        self.around.scope == Scope::Module
    }

    fn in_function_scope(&self) -> bool {
        self.around.scope == Scope::Function
    }

    fn in_generator_context(&self) -> bool {
        self.around.scope == Scope::Comprehension
    }

    fn in_notebook(&self) -> bool {
        false
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        // Whose default or decorator a `yield from` stands in is not followed.
        if error.kind != SemanticSyntaxErrorKind::YieldFromInAsyncFunction {
            self.refused.borrow_mut().push(error.range);
        }
    }

    fn in_loop_context(&self) -> bool {
        self.around.loops > 0
    }

    fn is_bound_parameter(&self, _: &str) -> bool {
        false
    }
}
