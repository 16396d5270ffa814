//! The kinds of nodes in the Python grammar, as far as the walk through the syntax tree (`build.rs`) distinguishes
//! them. The value of a node is the expression that the walk makes of the node.

use std::sync::LazyLock;

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A node without a value. Its children are visited.
    Other,
    /// A node that the walk skips, with all nodes inside it.
    Skip,
    /// A list of nodes. The values of these nodes count as values of the list's parent.
    Through,
    /// A type annotation. Its value is the value of the node inside it.
    Annotation,
    Identifier,
    Attribute,
    Call,
    KeywordArgument,
    Subscript,
    Text,
    Integer,
    Nothing,
    Literal,
    Comparison,
    Slice,
    Tuple,
    Sequence,
    Set,
    Mapping,
    Pair,
    Boolean,
    Conditional,
    Binary,
    Not,
    /// A node that has the value of the node inside it, such as an expression in parentheses.
    Wrapper,
    Lambda,
    ListComprehension,
    MappingComprehension,
    ForIn,
    Await,
    Starred,
    Named,
    AsPattern,
    Yield,
    Parameters,
    TypedParameter,
    DefaultParameter,
    TypedDefaultParameter,
    Function,
    Class,
    Decorated,
    Block,
    Assignment,
    Augmented,
    For,
    While,
    WithItem,
    If,
    Elif,
    Except,
    Return,
    Assert,
    /// A statement that leaves its block: `raise`, `continue` or `break`.
    Leaves,
    Import,
    ImportFrom,
    Global,
    Nonlocal,
    DottedName,
    ClassPattern,
    CasePattern,
    KeywordPattern,
    SplatPattern,
    GenericType,
    UnionType,
    MemberType,
    /// A statement that exists only in Python 2.
    Python2,
}

/// The kinds of named nodes by their names in the grammar. All other named nodes are [`Kind::Other`]. Unnamed nodes are
/// [`Kind::Skip`].
const NAMES: &[(&str, Kind)] = &[
    ("comment", Kind::Skip),
    ("line_continuation", Kind::Skip),
    ("string_start", Kind::Skip),
    ("string_content", Kind::Skip),
    ("string_end", Kind::Skip),
    ("type_conversion", Kind::Skip),
    ("future_import_statement", Kind::Skip),
    ("identifier", Kind::Identifier),
    ("attribute", Kind::Attribute),
    ("call", Kind::Call),
    ("keyword_argument", Kind::KeywordArgument),
    ("subscript", Kind::Subscript),
    ("string", Kind::Text),
    ("concatenated_string", Kind::Literal),
    ("integer", Kind::Integer),
    ("none", Kind::Nothing),
    ("float", Kind::Literal),
    ("true", Kind::Literal),
    ("false", Kind::Literal),
    ("ellipsis", Kind::Literal),
    ("comparison_operator", Kind::Comparison),
    ("unary_operator", Kind::Literal),
    ("slice", Kind::Slice),
    ("tuple", Kind::Tuple),
    ("expression_list", Kind::Tuple),
    ("pattern_list", Kind::Tuple),
    ("tuple_pattern", Kind::Tuple),
    ("list", Kind::Sequence),
    ("list_pattern", Kind::Sequence),
    ("set", Kind::Set),
    ("dictionary", Kind::Mapping),
    ("pair", Kind::Pair),
    ("boolean_operator", Kind::Boolean),
    ("conditional_expression", Kind::Conditional),
    ("binary_operator", Kind::Binary),
    ("not_operator", Kind::Not),
    ("parenthesized_expression", Kind::Wrapper),
    ("as_pattern_target", Kind::Wrapper),
    ("decorator", Kind::Wrapper),
    ("argument_list", Kind::Through),
    ("type_parameter", Kind::Through),
    ("type", Kind::Annotation),
    ("lambda", Kind::Lambda),
    ("list_comprehension", Kind::ListComprehension),
    ("set_comprehension", Kind::ListComprehension),
    ("generator_expression", Kind::ListComprehension),
    ("dictionary_comprehension", Kind::MappingComprehension),
    ("for_in_clause", Kind::ForIn),
    ("await", Kind::Await),
    ("list_splat", Kind::Starred),
    ("list_splat_pattern", Kind::Starred),
    ("dictionary_splat", Kind::Starred),
    ("dictionary_splat_pattern", Kind::Starred),
    ("named_expression", Kind::Named),
    ("as_pattern", Kind::AsPattern),
    ("yield", Kind::Yield),
    ("parameters", Kind::Parameters),
    ("lambda_parameters", Kind::Parameters),
    ("typed_parameter", Kind::TypedParameter),
    ("default_parameter", Kind::DefaultParameter),
    ("typed_default_parameter", Kind::TypedDefaultParameter),
    ("function_definition", Kind::Function),
    ("class_definition", Kind::Class),
    ("decorated_definition", Kind::Decorated),
    ("block", Kind::Block),
    ("assignment", Kind::Assignment),
    ("augmented_assignment", Kind::Augmented),
    ("for_statement", Kind::For),
    ("while_statement", Kind::While),
    ("with_item", Kind::WithItem),
    ("if_statement", Kind::If),
    ("elif_clause", Kind::Elif),
    ("except_clause", Kind::Except),
    ("return_statement", Kind::Return),
    ("assert_statement", Kind::Assert),
    ("raise_statement", Kind::Leaves),
    ("continue_statement", Kind::Leaves),
    ("break_statement", Kind::Leaves),
    ("import_statement", Kind::Import),
    ("import_from_statement", Kind::ImportFrom),
    ("global_statement", Kind::Global),
    ("nonlocal_statement", Kind::Nonlocal),
    ("dotted_name", Kind::DottedName),
    ("class_pattern", Kind::ClassPattern),
    ("case_pattern", Kind::CasePattern),
    ("keyword_pattern", Kind::KeywordPattern),
    ("splat_pattern", Kind::SplatPattern),
    ("generic_type", Kind::GenericType),
    ("union_type", Kind::UnionType),
    ("member_type", Kind::MemberType),
    ("print_statement", Kind::Python2),
    ("exec_statement", Kind::Python2),
];

/// The grammar's fields (roles of child nodes) that the walk uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    None,
    Name,
    Attribute,
    Body,
    Left,
    Right,
    Type,
    Value,
    Alias,
    Condition,
    Consequence,
    ReturnType,
    Function,
    Superclasses,
    Subscript,
}

const FIELDS: &[(&str, Field)] = &[
    ("name", Field::Name),
    ("attribute", Field::Attribute),
    ("body", Field::Body),
    ("left", Field::Left),
    ("right", Field::Right),
    ("type", Field::Type),
    ("value", Field::Value),
    ("alias", Field::Alias),
    ("condition", Field::Condition),
    ("consequence", Field::Consequence),
    ("return_type", Field::ReturnType),
    ("function", Field::Function),
    ("superclasses", Field::Superclasses),
    ("subscript", Field::Subscript),
];

/// The kinds and fields by the numbers that tree-sitter's Python grammar gives them.
pub(super) struct Grammar {
    kinds: Vec<Kind>,
    fields: Vec<Field>,
}

impl Grammar {
    /// The kind of a node; `id` is the number of the node's kind in the grammar.
    pub(super) fn kind(&self, id: u16) -> Kind {
        self.kinds
            .get(usize::from(id))
            .copied()
            .unwrap_or(Kind::Other)
    }

    /// The field of a child node; `id` is the number of the field in the grammar.
    pub(super) fn field(&self, id: Option<u16>) -> Field {
        id.and_then(|id| self.fields.get(usize::from(id)).copied())
            .unwrap_or(Field::None)
    }
}

pub(super) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let language = tree_sitter::Language::from(tree_sitter_python::LANGUAGE);
    let mut kinds = vec![Kind::Other; language.node_kind_count()];
    for (id, slot) in (0_u16..).zip(kinds.iter_mut()) {
        if !language.node_kind_is_named(id) {
            *slot = Kind::Skip;
        } else if let Some(name) = language.node_kind_for_id(id)
            && let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == name)
        {
            *slot = *kind;
        }
    }
    let mut fields = vec![Field::None; language.field_count() + 1];
    for (id, slot) in (0_u16..).zip(fields.iter_mut()) {
        if let Some(name) = language.field_name_for_id(id)
            && let Some((_, field)) = FIELDS.iter().find(|(known, _)| *known == name)
        {
            *slot = *field;
        }
    }
    Grammar { kinds, fields }
});
