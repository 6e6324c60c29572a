//! Phone numbers as spreadsheets write them.

/// Removes the decoration that spreadsheets add to a number. Fails if digits are lost.
pub(super) fn phone_as_typed(cell: &str) -> Result<&str, String> {
    // The apostrophe marks the cell as text in a spreadsheet.
    let text = cell.strip_prefix('\'').unwrap_or(cell);
    if is_rounded(text) {
        return Err(format!(
            "was rounded by the spreadsheet to {text}, so its last digits are lost; format the column \
             as text, enter the number again and export the file anew"
        ));
    }
    match text.split_once('.') {
        // After so many digits the point does not separate groups of a number.
        Some((whole, decimals)) if whole.len() >= 7 && is_digits(whole) && is_digits(decimals) => {
            match decimals.trim_end_matches('0') {
                "" => Ok(whole),
                _ => Err("is a number with decimals, not a phone number".to_owned()),
            }
        }
        _ => Ok(text),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for a number such as `2.33244E+11`.
fn is_rounded(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return false };
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let mantissa = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (whole, decimals) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, "0"));
    is_digits(exponent) && is_digits(whole) && is_digits(decimals)
}
