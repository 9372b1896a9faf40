//! Names of users and groups, from the system's lists.

use std::collections::HashMap;

use crate::repository::read_list;

/// Names by number.
pub struct Names(HashMap<u32, String>);

impl Names {
    /// The users of `/etc/passwd`.
    pub fn users() -> Names {
        Names::parse(&read_list("/etc/passwd"))
    }

    /// The groups of `/etc/group`.
    pub fn groups() -> Names {
        Names::parse(&read_list("/etc/group"))
    }

    /// Both lists have the name in the first field and the number in the third.
    fn parse(list: &str) -> Names {
        let mut names = HashMap::new();
        for line in list.lines() {
            let mut fields = line.split(':');
            let (name, number) = (fields.next(), fields.nth(1).and_then(|text| text.parse().ok()));
            if let (Some(name), Some(number)) = (name, number) {
                names.entry(number).or_insert_with(|| name.to_owned());
            }
        }
        Names(names)
    }

    /// The name of a number, if it has one.
    pub fn name(&self, number: u32) -> Option<String> {
        self.0.get(&number).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let names = Names::parse("root:x:0:0::/root:/bin/sh\n# x\nbad:x:y\nagain:x:0:\nu:*:7:\n");
        assert_eq!(names.name(0).as_deref(), Some("root"));
        assert_eq!(names.name(7).as_deref(), Some("u"));
        assert_eq!(names.name(1), None);
    }
}
