//! Rust code as words, signs and literals, without comments.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// Word, `::`, any other single sign, or literal with its quotes.
    pub(crate) text: &'a str,
    pub(crate) line: usize,
}

impl Token<'_> {
    pub(crate) fn is_word(&self) -> bool {
        self.text.starts_with(is_part_of_word) && !self.is_literal()
    }

    /// True if the token is a string, a character or a lifetime.
    pub(crate) fn is_literal(&self) -> bool {
        self.text.contains(['"', '\''])
    }
}

fn is_part_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the words and signs of code.
pub(crate) fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = tokens_and_literals(code);
    tokens.retain(|token| !token.is_literal());
    tokens
}

pub(crate) fn tokens_and_literals(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(letter) = code[at..].chars().next() {
        let rest = &code[at..];
        let length = if letter.is_whitespace() {
            letter.len_utf8()
        } else if let Some(length) = comment(rest) {
            length
        } else {
            let length = if let Some(length) = literal(rest) {
                length
            } else if letter.is_alphanumeric() || letter == '_' {
                rest.find(|it| !is_part_of_word(it)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                letter.len_utf8()
            };
            tokens.push(Token { text: &rest[..length], line });
            length
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

/// Returns the length of the comment at the beginning of the code.
fn comment(code: &str) -> Option<usize> {
    if code.starts_with("//") {
        return Some(code.find('\n').unwrap_or(code.len()));
    }
    if !code.starts_with("/*") {
        return None;
    }
    let mut depth = 0;
    let mut at = 0;
    while at < code.len() {
        match code.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    Some(at)
}

/// Returns the length of the string, character or lifetime at the beginning of the code.
fn literal(code: &str) -> Option<usize> {
    let prefix = code.find(|letter| !matches!(letter, 'b' | 'c' | 'r'))?;
    let (prefix, quoted) = code.split_at(prefix);
    if prefix.ends_with('r') && quoted.starts_with(['"', '#']) {
        let text = quoted.trim_start_matches('#');
        let hashes = quoted.len() - text.len();
        let end = format!("\"{}", "#".repeat(hashes));
        let length = text.strip_prefix('"')?.find(&end)?;
        return Some(prefix.len() + hashes + 1 + length + end.len());
    }
    if quoted.starts_with('"') {
        return Some(prefix.len() + escaped(quoted, b'"')?);
    }
    if !quoted.starts_with('\'') || prefix.len() > 1 {
        return None;
    }
    let mut letters = quoted.chars().skip(1);
    let is_letter = letters.next() == Some('\\') || letters.next() == Some('\'');
    if is_letter {
        return Some(prefix.len() + escaped(quoted, b'\'')?);
    }
    let lifetime = quoted[1..].find(|letter| !is_part_of_word(letter));
    prefix.is_empty().then(|| lifetime.map_or(quoted.len(), |length| length + 1))
}

/// Returns the length of the text from the first quote to the next unescaped one.
fn escaped(code: &str, quote: u8) -> Option<usize> {
    let mut is_escaped = false;
    let end = code.bytes().skip(1).position(|byte| {
        let is_end = byte == quote && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map(|end| end + 2)
}

/// Returns the code without items that are compiled only for tests.
pub(crate) fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    const FOR_TESTS: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let attribute = tokens[at..].iter().map(|token| token.text).take(FOR_TESTS.len());
        if attribute.eq(FOR_TESTS) {
            at = end_of_item(tokens, at + FOR_TESTS.len());
        } else {
            kept.push(tokens[at]);
            at += 1;
        }
    }
    kept
}

/// Returns the end of the item that begins at `start`, attributes included.
pub(crate) fn end_of_item(tokens: &[Token<'_>], start: usize) -> usize {
    let mut depth = 0;
    let mut is_use = false;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        let next = tokens.get(at + 1).map_or("", |token| token.text);
        match token.text {
            "use" if depth == 0 && next != "<" => is_use = true,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 && !is_use {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

#[test]
fn splits_code_into_words_and_signs() {
    let code = r##"
        use a::{b, c}; // use d;
        /* use e; /* f */ */
        fn f<'a>(x: &'a str) -> char { g("h \" i", 'j', '\'', r#"k" l"#, b'm', 'é') }
    "##;

    let words: Vec<_> = tokens(code).into_iter().filter(Token::is_word).collect();

    let words: Vec<_> = words.iter().map(|token| token.text).collect();
    let expected = ["use", "a", "b", "c", "fn", "f", "x", "str", "char", "g"];
    assert_eq!(words, expected);
    let literals = tokens_and_literals(code).into_iter().filter(Token::is_literal);
    let literals: Vec<_> = literals.map(|token| token.text).collect();
    let expected = ["'a", "'a", r#""h \" i""#, "'j'", r"'\''", r##"r#"k" l"#"##, "b'm'", "'é'"];
    assert_eq!(literals, expected);
    assert_eq!(tokens(code).last().map(|token| token.line), Some(4));
}

#[test]
fn omits_code_compiled_only_for_tests() {
    let code =
        "#[cfg(test)] #[allow(x)] mod tests { fn f() {} } fn g() {} #[cfg(test)] use a::{b};";
    let kept = without_tests(&tokens(code));
    let kept: Vec<_> = kept.iter().map(|token| token.text).collect();
    assert_eq!(kept, ["fn", "g", "(", ")", "{", "}"]);
}
