//! Every bug of Netty's compression that the catalogue lists has a test in the Java module, under the name that is written there.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_entry_of_the_catalogue_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let catalogue =
        std::fs::read_to_string(root.join("verify/conformance/compression/bugs.tsv")).expect("the catalogue");
    let tests = root.join("java-bindings/netty/src/test/java/io/ferronet/netty/compression");
    let mut numbers = BTreeSet::new();
    for line in catalogue.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [number, _, class, method] = fields[..] else { panic!("{line:?} has not four fields") };
        let source = std::fs::read_to_string(tests.join(format!("{class}.java")))
            .unwrap_or_else(|error| panic!("{class}: {error}"));
        let declared = format!("    @Test\n    void {method}(");
        assert!(source.contains(&declared), "{number}: {class} has no test {method}");
        numbers.insert(number);
    }
    let listed = [
        "971",
        "1312",
        "2321",
        "13655",
        "4079",
        "12904",
        "6808",
        "9557",
        "a3e496a521",
        "d56a7560ea",
        "10948",
        "11521",
        "11805",
        "7566",
        "6168",
        "9924",
        "15005",
        "8922",
    ];
    assert_eq!(numbers, BTreeSet::from(listed));
}
