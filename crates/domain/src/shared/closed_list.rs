//! Closed lists: enums without fields, of which each variant has one name.

use thiserror::Error;

/// Declares a closed list: the enum, and what follows from the names of its variants.
///
/// Every list has `ALL`, its values in their order, and `as_str`, the name of a value. What else it has
/// is listed after the enum: `Display`, which writes the name, and `FromStr`, which reads it. The error
/// of `FromStr` enumerates the names, or has the text after `else`. `Serialize` and `Deserialize`, which
/// stand first, write and read the name.
///
/// ```
/// domain::closed_list! {
///     /// Colour of a light.
///     #[derive(PartialOrd, Ord)]
///     pub enum Light {
///         /// Go.
///         Green = "GREEN",
///         /// Stop.
///         Red = "RED",
///     }
///     impl Display;
///     impl FromStr else "is no colour of a light";
/// }
/// ```
#[macro_export]
macro_rules! closed_list {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $list:ident {
            $($(#[$about:meta])* $variant:ident = $name:literal,)+
        }
        impl Serialize;
        impl Deserialize;
        $($more:tt)*
    ) => {
        $crate::closed_list! {
            $(#[$attribute])*
            #[derive(::serde::Serialize, ::serde::Deserialize)]
            $visibility enum $list {
                $($(#[$about])* #[serde(rename = $name)] $variant = $name,)+
            }
            $($more)*
        }
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $list:ident {
            $($(#[$about:meta])* $variant:ident = $name:literal,)+
        }
        $(impl $property:ident $(else $error:literal)?;)*
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $visibility enum $list {
            $($(#[$about])* $variant,)+
        }

        impl $list {
            /// All values, in the order of the list.
            $visibility const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name outside the program: on the wire, in the database or in a file.
            $visibility const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        $crate::closed_list!(@each $list [$($name),+] $($property $(else $error)?;)*);
    };
    (@each $list:ident $names:tt $($property:ident $(else $error:literal)?;)*) => {
        $($crate::closed_list!(@$property $list $names $($error)?);)*
    };
    (@Display $list:ident $names:tt) => {
        impl ::std::fmt::Display for $list {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
    (@FromStr $list:ident $names:tt) => {
        $crate::closed_list!(
            @from_str $list $crate::shared::closed_list::UnknownName::NoneOf(&$names)
        );
    };
    (@FromStr $list:ident $names:tt $error:literal) => {
        $crate::closed_list!(
            @from_str $list $crate::shared::closed_list::UnknownName::Other($error)
        );
    };
    (@from_str $list:ident $error:expr) => {
        impl ::std::str::FromStr for $list {
            type Err = $crate::shared::closed_list::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.into_iter().find(|value| value.as_str() == text).ok_or($error)
            }
        }
    };
}

/// Error for a text that is no name of a closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UnknownName {
    /// It must be one of these names.
    #[error("must be one of {}", .0.join(", "))]
    NoneOf(&'static [&'static str]),
    /// This text, which follows the name of a field, says what is wrong.
    #[error("{0}")]
    Other(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::closed_list! {
        /// Colour of a light.
        #[derive(PartialOrd, Ord, Default)]
        enum Light {
            /// Go.
            #[default]
            Green = "GREEN",
            Amber = "amber",
            Red = "Red",
        }
        impl Serialize;
        impl Deserialize;
        impl Display;
        impl FromStr;
    }

    crate::closed_list! {
        enum Direction {
            Left = "LEFT",
        }
        impl FromStr else "is no direction";
    }

    #[test]
    fn a_list_has_all_its_values_in_order() {
        assert_eq!(Light::ALL, [Light::Green, Light::Amber, Light::Red]);
        assert_eq!(Direction::ALL, [Direction::Left]);
        assert!(Light::default() < Light::Red);
    }

    #[test]
    fn every_name_is_read_as_it_was_written() {
        assert_eq!(Light::ALL.map(Light::as_str), ["GREEN", "amber", "Red"]);
        for light in Light::ALL {
            let name = light.as_str();
            assert_eq!((name.parse(), light.to_string()), (Ok(light), name.to_owned()));
            assert_eq!(serde_json::to_value(light).unwrap(), name);
            assert_eq!(serde_json::from_value::<Light>(name.into()).unwrap(), light);
        }
        assert_eq!("LEFT".parse(), Ok(Direction::Left));
    }

    #[test]
    fn another_text_is_refused_with_the_names_or_in_other_words() {
        for text in ["", "Green", "GREEN ", "green"] {
            let error = text.parse::<Light>().unwrap_err();
            assert_eq!(error, UnknownName::NoneOf(&["GREEN", "amber", "Red"]));
            assert_eq!(error.to_string(), "must be one of GREEN, amber, Red");
            assert!(serde_json::from_value::<Light>(text.into()).is_err());
        }
        let error = "UP".parse::<Direction>().unwrap_err();
        assert_eq!(error.to_string(), "is no direction");
    }
}
