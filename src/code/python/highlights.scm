; The syntax colours of Python. The name of each capture is a role of the theme.
(comment) @comment
(string) @string
(escape_sequence) @escape
(interpolation) @text
[(integer) (float)] @number
[(none) (true) (false)] @constant
(decorator "@" @decorator)
(decorator [(identifier) (attribute)] @decorator)
(decorator (call function: (_) @decorator))
(function_definition name: (identifier) @function)
(class_definition name: (identifier) @type)
((identifier) @builtin (#any-of? @builtin "self" "cls"))
[
  "and" "as" "assert" "async" "await" "break" "case" "class" "continue" "def" "del" "elif" "else" "except"
  "finally" "for" "from" "global" "if" "import" "in" "is" "lambda" "match" "nonlocal" "not" "or" "pass" "raise"
  "return" "try" "while" "with" "yield"
] @keyword
