//! Invented people of Ghana: names that are common in a region, and numbers of its networks.

use std::collections::BTreeMap;

use domain::audience::contact::ContactRequest;

use super::chance::Chance;

/// Region with names that are common there.
struct Region {
    name: &'static str,
    /// First names, with spaces between them.
    first_names: &'static str,
    /// Family names, with spaces between them.
    last_names: &'static str,
    /// Number of its people among a hundred.
    share: u32,
}

const REGIONS: [Region; 7] = [
    Region {
        name: "Greater Accra",
        first_names: "Nii Naa Tetteh Odartey Lamiley Korkor Dede Ayitey Amerley Nathaniel Priscilla \
            Emmanuel",
        last_names: "Lamptey Quaye Nortey Tagoe Ankrah Okai Laryea Addo Sowah Armah Mills Odonkor",
        share: 26,
    },
    Region {
        name: "Ashanti",
        first_names: "Kwame Kofi Kwaku Yaw Kwabena Akwasi Ama Abena Akosua Akua Yaa Afia Adwoa Nana",
        last_names: "Osei Boateng Owusu Agyeman Asante Opoku Frimpong Antwi Amoako Sarpong Prempeh \
            Gyamfi Acheampong Poku",
        share: 24,
    },
    Region {
        name: "Eastern",
        first_names: "Kwadwo Kwasi Ofori Maame Adjoa Abigail Samuel Gifty Ebenezer Comfort",
        last_names: "Ofori Danso Asiedu Ampofo Adjei Asare Tetteh Larbi Darko Kissi",
        share: 12,
    },
    Region {
        name: "Central",
        first_names: "Kojo Kobina Ebo Kwesi Efua Esi Araba Aba Ekua Fiifi",
        last_names: "Mensah Arthur Aidoo Quansah Essien Ansah Eshun Amissah Otoo Sackey",
        share: 12,
    },
    Region {
        name: "Volta",
        first_names: "Kodzo Kwami Edem Selorm Mawuli Dzifa Eyram Sena Elikem Delali Yayra Senyo",
        last_names: "Agbeko Dzokoto Amegashie Tsikata Gbeho Kpodo Ametepe Adzaho Kumordzi Fiagbe \
            Awuku Dogbe",
        share: 11,
    },
    Region {
        name: "Northern",
        first_names: "Abdulai Fuseini Alhassan Iddrisu Memunatu Rahinatu Sanatu Yakubu Mohammed Fati \
            Abibata Issah",
        last_names: "Mahama Alidu Seidu Abubakari Yussif Haruna Adam Ibrahim Bawa Sulemana Zakaria \
            Salifu",
        share: 9,
    },
    Region {
        name: "Upper East",
        first_names: "Atanga Ayamga Akolgo Apoka Azumah Lariba Talata Asibi Adongo Mma",
        last_names: "Atinga Abugri Akurugu Awuni Ayariga Anaba Aduku Nsoh Apasera Azure",
        share: 6,
    },
];

/// Prefixes of the mobile networks, without the zero: MTN, Telecel and AT.
const PREFIXES: [&str; 10] = ["24", "54", "55", "53", "20", "50", "26", "27", "56", "57"];
/// Among so many people one is known by family name alone.
const NAMELESS: u32 = 97;

/// Returns a person. Each number gives an address of its own.
pub(super) fn person(number: u32, chance: &mut Chance) -> ContactRequest {
    let region = region(chance.below(100));
    let first = name(region.first_names, chance);
    let last = name(region.last_names, chance);
    let email = format!("{first}.{last}{number}@example.com").to_ascii_lowercase();
    let mut tags = Vec::new();
    for (tag, thousandths) in [("newsletter", 600), ("vip", 60), ("walk-in", 150)] {
        if chance.is_in(thousandths) {
            tags.push(tag.to_owned());
        }
    }
    ContactRequest {
        first_name: (!number.is_multiple_of(NAMELESS)).then(|| first.to_owned()),
        last_name: Some(last.to_owned()),
        phone: Some(phone(number, chance)),
        email: chance.is_in(450).then_some(email),
        fcm_token: chance.is_in(200).then(|| format!("demo-device-{number:06}")),
        country: None,
        tags,
        attributes: BTreeMap::from([("region".to_owned(), region.name.to_owned())]),
        consent: None,
    }
}

fn name(names: &'static str, chance: &mut Chance) -> &'static str {
    let names: Vec<_> = names.split(' ').collect();
    let name: &&str = chance.one_of(&names);
    name
}

/// Returns the region of a person out of a hundred.
fn region(place: u32) -> &'static Region {
    let mut end = 0;
    for region in &REGIONS {
        end += region.share;
        if place < end {
            return region;
        }
    }
    &REGIONS[0]
}

/// Returns a number as dialled in Ghana. The step has no divisor in common with the number of lines, so
/// that no line occurs twice.
fn phone(number: u32, chance: &mut Chance) -> String {
    const LINES: u32 = 9_000_000;
    const STEP: u32 = 7_919;

    let prefix = *chance.one_of(&PREFIXES);
    let line = 1_000_000 + (u64::from(number) * u64::from(STEP)) % u64::from(LINES);
    format!("0{prefix}{line}")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use chrono::DateTime;
    use domain::{identity::organization::PLATFORM, shared::country::Country};

    use super::*;

    #[test]
    fn five_thousand_people_have_valid_numbers_and_no_two_the_same() {
        let mut chance = Chance::seeded(1);
        let mut numbers = HashSet::new();

        for number in 0..5_000 {
            let person = person(number, &mut chance);
            let contact = person.contact(PLATFORM, DateTime::UNIX_EPOCH).unwrap();
            let phone = contact.phone.unwrap();
            assert_eq!(phone.phone_kind().unwrap().country, Country::GH, "{phone}");
            assert!(numbers.insert(phone.as_str().to_owned()), "{phone}");
        }
    }

    #[test]
    fn the_regions_are_those_of_a_hundred_people() {
        assert_eq!(REGIONS.iter().map(|region| region.share).sum::<u32>(), 100);
        assert_eq!(region(99).name, "Upper East");
    }
}
