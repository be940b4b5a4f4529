# Comments of the headers as Doxygen reads them: // before a declaration becomes ///, and after it ///<. They have no commands
# and no markup, so @names, #tags and <s> are text.
\|//|s|([@#])([a-z])|\\\1\2|g
s|<(/?s)>|\&lt;\1\&gt;|g
t x
:x
s|^( *)//( ?)|\1///\2|
t
s|([;,{}].*[^ ]) +// |\1 ///< |
t
s|([;,{}]) +// |\1 ///< |
