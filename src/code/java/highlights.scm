; The syntax colours of Java. The name of each capture is a role of the theme.
[(line_comment) (block_comment)] @comment
[(character_literal) (string_literal)] @string
(escape_sequence) @escape
[
  (hex_integer_literal) (decimal_integer_literal) (octal_integer_literal) (binary_integer_literal)
  (decimal_floating_point_literal) (hex_floating_point_literal)
] @number
[(true) (false) (null_literal)] @constant
[(annotation) (marker_annotation)] @decorator
[(this) (super)] @builtin
[(boolean_type) (integral_type) (floating_point_type) (void_type)] @keyword
(method_declaration name: (identifier) @function)
(constructor_declaration name: (identifier) @function)
(class_declaration name: (identifier) @type)
(interface_declaration name: (identifier) @type)
(enum_declaration name: (identifier) @type)
(record_declaration name: (identifier) @type)
(annotation_type_declaration name: (identifier) @type)
[
  "abstract" "assert" "break" "case" "catch" "class" "continue" "default" "do" "else" "enum" "extends" "final"
  "finally" "for" "if" "implements" "import" "instanceof" "interface" "native" "new" "package" "permits" "private"
  "protected" "public" "record" "return" "sealed" "static" "strictfp" "switch" "synchronized" "throw" "throws"
  "transient" "try" "volatile" "while" "yield"
] @keyword
