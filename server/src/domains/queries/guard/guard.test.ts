import { loadModule } from "libpg-query";
import { beforeAll, describe, expect, test } from "vitest";
import { inspectStatement } from "./guard.ts";
import { positionAt, PositionMap } from "./source-position.ts";
import { readStatement } from "./parser.ts";
import { inspectScript } from "./script.ts";

beforeAll(() => loadModule());

const HERE = "a workspace";

/** Valid statements that users may write. */
const HARMLESS = [
  "select 1",
  "SELECT 1;",
  " ; select 1 ; -- and that is all",
  "select",
  "table orders",
  "values (1, 'a'), (2, 'b')",
  "select * from orders",
  "select o.*, c.name from orders o join customers as c on c.id = o.customer",
  "select all a from x union all (select b from y except select c from z) order by 1 limit all",
  "select distinct on (a) a, b from x order by a, b desc nulls last fetch first 3 rows with ties",
  "select a from x natural left join y cross join z full join w using (a, b) as j",
  "with a as (select 1 as n), b(m) as materialized (select n from a) select * from a, b",
  "with orders as (select * from orders where amount > 5) select * from orders",
  "with recursive t(n) as (values (1) union all select n + 1 from t where n < 5) select * from t",
  "with recursive t(n) as (select 1 union all select n from t) cycle n set seen using path select * from t",
  "select count(*), count(distinct a), sum(b) filter (where c) from x group by d having count(*) > 1",
  "select a, b, sum(c) from x group by grouping sets ((a), rollup (a, b), ()), cube (a, b)",
  "select grouping(a), a from x group by rollup (a)",
  "select row_number() over w, lag(a, 1) over (partition by b order by c rows between 1 preceding and current row) from x window w as (order by a)",
  "select percentile_cont(0.5) within group (order by amount), string_agg(a, ',' order by b) from x",
  "select case when a > 1 then 'x' when a is null then 'y' else 'z' end, case a when 1 then 2 end from x",
  "select coalesce(a, b), nullif(a, 0), greatest(a, b), least(1, 2) from x",
  "select a between 1 and 2, a in (1, 2), a not in (select b from y), a = any($1), a like 'b%' escape '!' from x",
  "select a similar to 'b+', a ~* 'c', a is distinct from b, a is not true, a isnull from x",
  "select exists (select 1 from y where y.a = x.a), array(select a from y), (select max(a) from y) from x",
  "select a[1], a[1:2], array[1, 2], row(1, 2), (1, 2) = (a, b), array[[1], [2]] from x",
  "select cast(a as numeric(10, 2)), b::int[], c::varchar(10), date '2026-01-01', interval '1' day from x",
  "select a::timestamptz at time zone 'Europe/Berlin', extract(year from b), date_trunc('month', c) from x",
  "select current_date, current_timestamp(3), localtime, now() - interval '1 day', make_interval(days => 2)",
  "select trim(both 'x' from a), substring(a from 1 for 2), position('a' in b), overlay(a placing b from 1), a || b from x",
  "select (a, b) overlaps (c, d), normalize(a), a is normalized from x",
  "select doc -> 'a' ->> 'b', doc #>> '{a,b}', doc @> '{\"a\": 1}', doc ? 'a', jsonb_path_query_first(doc, '$.a') from x",
  "select jsonb_build_object('a', a, 'b', json_agg(b)) from x group by a",
  "select json_value(doc, '$.a' passing 1 as y returning int default 0 on empty error on error) from x",
  "select json_query(doc, '$' with wrapper keep quotes null on empty), json_exists(doc, '$.x') from x",
  "select j.n, j.k, j.a from x, json_table(doc, '$[*]' as p passing 2 as z columns (n for ordinality, a int path '$.x' default 1 on empty, e boolean exists, nested path '$.l[*]' columns (k text format json))) as j",
  "select json_object('a': 1, 'b': b absent on null with unique keys returning jsonb), json_array(1, a null on null), json_array(select a from x) from x",
  "select json_objectagg('k': a), json_arrayagg(a order by b) filter (where a > 1) over (partition by c) from x",
  "select a is json object with unique keys, json('{}'), json_scalar(1), json_serialize(doc returning text) from x",
  "select int4multirange(int4range(1, 3)), datemultirange(), crc32('a'::bytea), timestamptz(day) from x",
  "select k.key, k.value from x, jsonb_each(x.doc) as k",
  "select e.value ->> 'a', value from x cross join lateral jsonb_array_elements(doc) as e",
  "select e.item, e.n from x, unnest(tags) with ordinality as e(item, n)",
  "select g.g, g from generate_series(1, 10, 2) as g",
  "select r.a, r.b from jsonb_to_record('{\"a\": 1}') as r(a int, b text)",
  "select * from rows from (generate_series(1, 2), unnest(array['a'])) as r(n, w)",
  "select pg_catalog.lower('A'), pg_catalog.count(*)",
  'select "createdAt", "Straße" collate "C" as "ü" from "my-table"',
  "select E'tab\\t', U&'d\\0061t', $$it's$$, $tag$ $$ $tag$, 'a'\n'b', 0x1f, 1_000, 1.5e3, b'101'",
  "select to_tsvector('english', a) @@ websearch_to_tsquery('b') from x",
  "/* one /* two */ */ select -- three\n 1",
];

/** Statements that must not reach the database, and the expected error. */
const HARMFUL: readonly (readonly [string, RegExp])[] = [
  ["", /the statement is empty/],
  ["-- nothing", /the statement is empty/],
  [";;", /the statement is empty/],
  ["selec 1", /line 1, column 1: syntax error/],
  ["select 'a", /unterminated quoted string/],
  ["select 1 /* a", /unterminated \/\* comment/],
  ["select 1\0; drop table orders", /not valid text/],
  ["select '\ud800'", /not valid text/],
  ["select 1; select 2", /column 11: only one/],
  ["select 1 from a.b", /column 15: a is a schema/],
  ["select 1\nfrom x\nwhere y = pg_sleep(1)", /line 3, column 11: the function pg_sleep/],
  ["select 'ü🦉' || pg_sleep(1)", /column 16: the function pg_sleep/],
  ["select (x).pg_sleep from x", /subscript/],
  ["select ('/etc/passwd'::text).pg_read_file", /subscript/],
  ["select (x).* from x", /subscript/],
  ["select f.pg_read_file from unnest(array['/etc/passwd']) f", /f refers to a function/],
  ["select f.pg_read_file from unnest(array['/etc/passwd']) f(a)", /f refers to a function/],
  [
    "select pg_read_file.pg_read_file from jsonb_array_elements_text('[\"a\"]') pg_read_file",
    /refers to a function/,
  ],
  ["select unnest.pg_read_file from unnest(array['a'])", /unnest refers to a function/],
  ["select \"coalesce\".current_setting from coalesce('a')", /only tables, queries and functions/],
  ["select a.b.c from x", /column or table.column/],
  ["select 1 from only_mine.public.users", /is a schema/],
  ["select 1 operator(public.+) 2", /operators must not have/],
  ["select 1 = operator(public.=) any (select 2)", /syntax error/],
  ["select 'a' collate public.mine", /collations must not have/],
  ["select 'x'::char(100000000)", /char\(n\)/],
  ["select * from x tablesample system (1)", /TABLESAMPLE/],
  ["select * from x order by a using <", /USING/],
  ["select t.pg_read_file from json_table('[]', '$' columns (a text)) t", /t refers to a function/],
  [
    "select json_table.pg_read_file from json_table('[]', '$' columns (a text))",
    /json_table refers to a function/,
  ],
  ["select * from json_table('[]', '$' columns (a regclass path '$'))", /type regclass/],
  ["select json_value(pg_read_file('a')::json, '$')", /pg_read_file/],
  ["select json_value('1', '$' default pg_sleep(9) on empty)", /pg_sleep/],
  ["select json_value('1', '$' returning regclass)", /type regclass/],
  ["select json_object('a': pg_sleep(9)), json_arrayagg(pg_sleep(9))", /pg_sleep/],
  ["select json_array(select rolname from pg_roles)", /pg_roles/],
];

describe("the guard", () => {
  test.each(HARMLESS)("accepts %s", (sql) => {
    expect(inspectStatement(sql, "read")).not.toHaveProperty("errors");
  });

  test.each(HARMFUL)("rejects %s", async (sql, reason) => {
    const verdict = await readStatement(HERE, sql, "read");
    const words = "errors" in verdict ? verdict.errors : [];
    expect(
      words.map(({ at, message }) => `line ${at?.line}, column ${at?.column}: ${message}`),
    ).toEqual(expect.arrayContaining([expect.stringMatching(reason)]));
  });

  test("reports the names in a statement", () => {
    expect(
      inspectStatement(
        '\n;select o."createdAt", total from orders o, t where a = $2 and b = $1;',
        "read",
      ),
    ).toEqual({
      text: 'select o."createdAt", total from orders o, t where a = $2 and b = $1',
      offset: 2,
      relations: new Map([
        ["orders", { position: 35, line: 2, column: 35 }],
        ["t", { position: 45, line: 2, column: 45 }],
      ]),
      targets: new Set(),
      deletedFrom: new Set(),
      expressions: new Set(),
      names: new Set(["createdAt", "total", "a", "b"]),
      parameters: new Map([
        [2, { position: 57, line: 2, column: 57 }],
        [1, { position: 68, line: 2, column: 68 }],
      ]),
    });
  });

  test("if record changes are allowed, accepts only supported ones", () => {
    for (const sql of [
      "insert into orders (a, b) values (1, default) on conflict (a) do update set b = excluded.b",
      "update orders set a = 1, (b, c) = (select 1, 2) from x where x.id = orders.id",
      "with t as (select 1) delete from orders using t where orders.a = t.a",
    ]) {
      expect(inspectStatement(sql, "write")).not.toHaveProperty("errors");
      expect(inspectStatement(sql, "read")).toHaveProperty("errors");
    }
    for (const sql of [
      "insert into orders select pg_read_file('x')",
      "delete from orders returning *",
      "delete from public.orders",
      "update orders set a[1] = 2",
      "truncate orders",
      "select 1",
    ]) {
      expect(inspectStatement(sql, "write")).toHaveProperty("errors");
    }
  });
});

test("a position is the same in bytes and characters", () => {
  const text = "aé\n🦉b\n\nü";
  const places = new PositionMap(Buffer.from(text));
  const found = Array.from(text, (_, position) => {
    const before = Array.from(text).slice(0, position).join("");
    const place = places.atByte(Buffer.byteLength(before));
    expect(positionAt(text, position)).toEqual(place);
    return `${place.position}:${place.line}:${place.column}`;
  });
  expect(found).toEqual(["0:1:1", "1:1:2", "2:1:3", "3:2:1", "4:2:2", "5:2:3", "6:3:1", "7:4:1"]);
  expect(places.atByte(1_000)).toEqual({ position: 8, line: 4, column: 2 });
});

test("limits the number of tables and parameters of a statement", () => {
  const list = (count: number, one: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => one(n + 1)).join(", ");
  for (const make of [
    (count: number) => `select ${list(count, (n) => `$${n}`)}`,
    (count: number) => `select 1 from ${list(count, (n) => `t${n}`)}`,
  ]) {
    expect(inspectStatement(make(1_000), "read")).not.toHaveProperty("errors");
    expect(inspectStatement(make(3_000), "read")).toEqual({
      errors: [{ message: expect.stringMatching(/at most 1000 tables/), at: expect.anything() }],
    });
  }
});

test("a script target refers to the table even if other objects have the same name", () => {
  for (const [sql, relations] of [
    [
      "with q as (with mig as (select 1 as a) select a from mig) update mig set t = 'x' from q",
      ["mig"],
    ],
    [
      "with q as (with mig as (select 1 as a) select a from mig) insert into mig select a from q",
      ["mig"],
    ],
    ["with q as (with mig as (select 1 as a) select a from mig) delete from mig using q", ["mig"]],
    ["with q as (select 1 as a) update mig set t = 'x' from q", ["mig"]],
  ] as const) {
    expect(inspectScript(sql)).toMatchObject({ statements: [{ kind: "records", relations }] });
  }
});

test("distinguishes the targets that a script deletes from", () => {
  for (const [sql, targets, deletedFrom] of [
    ["insert into a (x) select x from b", ["a"], []],
    ["update a set x = 1 from b", ["a"], []],
    ["delete from a using b", ["a"], ["a"]],
    ["with gone as (delete from b) insert into a (x) values (1)", ["b", "a"], ["b"]],
  ] as const) {
    const verdict = inspectScript(sql);
    const [one] = "statements" in verdict ? verdict.statements : [];
    expect(one).toMatchObject({ targets: expect.arrayContaining([...targets]), deletedFrom });
  }
});

test("rejects a statement that crashes the parser, and parses the next one", async () => {
  const deep = [
    `select ${"(".repeat(20_000)}1${")".repeat(20_000)}`,
    `select ${"(select ".repeat(5_000)}1${")".repeat(5_000)}`,
    `select 1${" + 1".repeat(12_000)}`,
    `select * from ${"(select * from ".repeat(2_500)}x${") a".repeat(2_500)}`,
    `select ${"not ".repeat(12_000)}true`,
    `select ${"array[".repeat(4_000)}1${"]".repeat(4_000)}`,
  ];
  for (const sql of deep) {
    expect(await readStatement(HERE, sql, "read")).toHaveProperty("errors");
    expect(await readStatement(HERE, "select 1", "read")).toMatchObject({ text: "select 1" });
  }
  const many = await Promise.all(
    Array.from({ length: 50 }, (_, n) => readStatement(HERE, `select ${n}`, "read")),
  );
  expect(many.map((verdict) => "text" in verdict && verdict.text)).toEqual(
    Array.from({ length: 50 }, (_, n) => `select ${n}`),
  );
});
