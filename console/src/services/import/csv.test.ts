import { expect, test } from "vitest";
import { guessMapping, parseTable, toItems } from "./csv.ts";

test("a table is parsed with any separator, including quotes and empty lines", () => {
  expect(parseTable('Name;Note\r\nweb-01;"a; ""b""\nc"\n\n')).toEqual({
    header: ["Name", "Note"],
    rows: [["web-01", 'a; "b"\nc']],
  });
  expect(parseTable("a\tb,c\n1\t2").header).toEqual(["a", "b,c"]);
  expect(parseTable("")).toEqual({ header: [], rows: [] });
});

test("columns are guessed, and converted to items by the mapping", () => {
  const table = parseTable(
    "Hostname,Type,Asset tag,IP address,Junk\nweb-01,Virtual Machine,,10.0.0.1,x",
  );
  const mapping = [...guessMapping(table.header)];
  expect(mapping).toEqual(["name", "class", "key", "attribute", "attribute"]);
  mapping[4] = "nothing";
  expect(toItems(table, mapping, "server")).toEqual([
    {
      name: "web-01",
      class: "virtual_machine",
      key: "web-01",
      attributes: { ipAddress: "10.0.0.1" },
    },
  ]);
});
