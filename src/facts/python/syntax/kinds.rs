//! The parser's node kinds and fields as numbers of ours.
//!
//! Must never be incomplete in silence: a kind that is not listed is `Syntax::Other`, which
//! is visited like any other.

use crate::facts::python::program::Operator;
use std::sync::LazyLock;
use tree_sitter::Language;

/// Defines numbers for names that the grammar chooses. They are no enum: the set is the grammar's
/// to grow, and what is not listed here is `OTHER`.
macro_rules! words {
    ($(#[$meta:meta])* $type:ident by $lookup:ident { $($name:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) struct $type(u8);

        #[expect(non_upper_case_globals, reason = "each stands for a variant of the grammar's")]
        impl $type {
            words!(@number 0; $($name)+ Other);
        }

        fn $lookup(word: &str) -> $type {
            match word { $($word => $type::$name,)+ _ => $type::Other }
        }
    };
    (@number $number:expr; $name:ident $($rest:ident)*) => {
        pub(super) const $name: Self = Self($number);
        words!(@number $number + 1; $($rest)*);
    };
    (@number $number:expr;) => {};
}

words! {
    /// A node kind that the reading treats in its own way.
    Syntax by syntax {
    AliasedImport = "aliased_import", ArgumentList = "argument_list", AsPattern = "as_pattern",
    AssertStatement = "assert_statement", Assignment = "assignment", Attribute = "attribute",
    AugmentedAssignment = "augmented_assignment", Await = "await",
    BinaryOperator = "binary_operator", Block = "block", BooleanOperator = "boolean_operator",
    BreakStatement = "break_statement",
    Call = "call", CaseClause = "case_clause", CasePattern = "case_pattern",
    ClassDefinition = "class_definition", ClassPattern = "class_pattern", Comment = "comment",
    ComparisonOperator = "comparison_operator", ConcatenatedString = "concatenated_string",
    ConditionalExpression = "conditional_expression", ContinueStatement = "continue_statement",
    DecoratedDefinition = "decorated_definition", Decorator = "decorator",
    DefaultParameter = "default_parameter", DeleteStatement = "delete_statement",
    Dictionary = "dictionary", DictionaryComprehension = "dictionary_comprehension",
    DictionarySplat = "dictionary_splat", DictionarySplatPattern = "dictionary_splat_pattern",
    DottedName = "dotted_name", ElifClause = "elif_clause", Ellipsis = "ellipsis",
    ElseClause = "else_clause", ExceptClause = "except_clause",
    ExceptGroupClause = "except_group_clause", ExecStatement = "exec_statement",
    ExpressionList = "expression_list", ExpressionStatement = "expression_statement",
    False = "false", FinallyClause = "finally_clause", Float = "float",
    ForInClause = "for_in_clause", ForStatement = "for_statement",
    FormatExpression = "format_expression", FormatSpecifier = "format_specifier",
    FunctionDefinition = "function_definition",
    FutureImportStatement = "future_import_statement",
    GeneratorExpression = "generator_expression", GenericType = "generic_type",
    GlobalStatement = "global_statement", Identifier = "identifier", IfClause = "if_clause",
    IfStatement = "if_statement", ImportFromStatement = "import_from_statement",
    ImportStatement = "import_statement", Integer = "integer", Interpolation = "interpolation",
    KeywordArgument = "keyword_argument", KeywordPattern = "keyword_pattern", Lambda = "lambda",
    LambdaParameters = "lambda_parameters", List = "list",
    ListComprehension = "list_comprehension", ListPattern = "list_pattern",
    ListSplat = "list_splat", ListSplatPattern = "list_splat_pattern",
    MatchStatement = "match_statement", Module = "module", NamedExpression = "named_expression",
    None = "none", NonlocalStatement = "nonlocal_statement", NotOperator = "not_operator",
    Pair = "pair", Parameters = "parameters",
    ParenthesizedExpression = "parenthesized_expression",
    ParenthesizedListSplat = "parenthesized_list_splat", PatternList = "pattern_list",
    PrintStatement = "print_statement", RaiseStatement = "raise_statement",
    RelativeImport = "relative_import", ReturnStatement = "return_statement", Set = "set",
    SetComprehension = "set_comprehension", Slice = "slice", SplatPattern = "splat_pattern", String = "string",
    StringContent = "string_content", StringEnd = "string_end", StringStart = "string_start",
    Subscript = "subscript", True = "true", TryStatement = "try_statement", Tuple = "tuple",
    TuplePattern = "tuple_pattern", Type = "type", TypeAliasStatement = "type_alias_statement",
    TypeConversion = "type_conversion", TypeParameter = "type_parameter",
    TypedDefaultParameter = "typed_default_parameter", TypedParameter = "typed_parameter",
    UnaryOperator = "unary_operator", WhileStatement = "while_statement",
    WildcardImport = "wildcard_import", WithClause = "with_clause", WithItem = "with_item", WithStatement = "with_statement",
    Yield = "yield",
    }
}

words! {
    /// The part that a child plays in its parent.
    Field by field {
    Alias = "alias", Alternative = "alternative", Argument = "argument", Arguments = "arguments",
    Attribute = "attribute", Body = "body", Cause = "cause", Condition = "condition",
    Consequence = "consequence",
    Function = "function", Left = "left", ModuleName = "module_name", Name = "name",
    Object = "object", Operator = "operator", Right = "right", Subscript = "subscript",
    Superclasses = "superclasses", Type = "type", Value = "value",
    }
}

/// The grammar's numbers for kinds and fields, read once.
pub(super) struct Grammar {
    pub(super) language: Language,
    kinds: Vec<NodeKind>,
    fields: Vec<Field>,
}

/// What one kind of node is.
#[derive(Debug, Clone, Copy)]
pub(super) enum NodeKind {
    /// Punctuation or a keyword, and the operator that it stands for.
    Token(Operator),
    Node(Syntax),
}

impl Grammar {
    pub(super) fn get() -> &'static Self {
        static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::read);
        &GRAMMAR
    }

    fn read() -> Self {
        let language = Language::new(tree_sitter_python::LANGUAGE);
        let kinds = (0..language.node_kind_count())
            .map(|id| u16::try_from(id).unwrap_or(u16::MAX))
            .map(|id| kind(&language, id))
            .collect();
        let fields = (0..=language.field_count())
            .map(|id| u16::try_from(id).unwrap_or(u16::MAX))
            .map(|id| language.field_name_for_id(id).map_or(Field::Other, field))
            .collect();
        Self { language, kinds, fields }
    }

    /// What a node of this kind is; errors are of a kind that the grammar does not list.
    pub(super) fn kind(&self, id: u16) -> NodeKind {
        self.kinds.get(usize::from(id)).copied().unwrap_or(NodeKind::Node(Syntax::Other))
    }

    pub(super) fn field(&self, id: Option<std::num::NonZeroU16>) -> Field {
        id.and_then(|id| self.fields.get(usize::from(id.get())).copied()).unwrap_or(Field::Other)
    }
}

fn kind(language: &Language, id: u16) -> NodeKind {
    let word = language.node_kind_for_id(id).unwrap_or_default();
    if language.node_kind_is_named(id) {
        NodeKind::Node(syntax(word))
    } else {
        NodeKind::Token(operator(word))
    }
}

fn operator(word: &str) -> Operator {
    match word {
        "+" | "+=" => Operator::Add,
        "-" | "-=" => Operator::Subtract,
        "*" | "*=" => Operator::Multiply,
        "/" | "/=" => Operator::Divide,
        "//" | "//=" => Operator::Floor,
        "%" | "%=" => Operator::Percent,
        "^" | "^=" => Operator::Xor,
        _ => Operator::Other,
    }
}
