/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** Statements and conditions of n8n database and table nodes. Names are quoted, and values are parameters. */
export function addSql(n8n) {
  const dialects = {
    postgres: {
      quote: (name) => `"${String(name).replaceAll('"', '""')}"`,
      mark: (at) => `$${at}`,
    },
    mysql: { quote: (name) => `\`${String(name).replaceAll("`", "``")}\``, mark: () => "?" },
  };
  const cell = (value) =>
    value === undefined || value === ""
      ? null
      : typeof value === "object" && value !== null
        ? JSON.stringify(value)
        : value;
  const signs = {
    equal: "=",
    "=": "=",
    "!=": "<>",
    ">": ">",
    "<": "<",
    ">=": ">=",
    "<=": "<=",
    LIKE: "LIKE",
    like: "LIKE",
  };
  const open = (dialect) => {
    const { quote, mark } = dialects[dialect];
    const params = [];
    const add = (value) => mark(params.push(cell(value)));
    const table = ({ schema, table: name }) =>
      `${n8n.text(schema) === "" || dialect === "mysql" ? "" : `${quote(n8n.text(schema))}.`}${quote(n8n.text(name))}`;
    const where = (conditions, any) => {
      const all = conditions.map(({ column, condition = "equal", value }) => {
        if (condition === "IS NULL" || condition === "IS NOT NULL")
          return `${quote(column)} ${condition}`;
        const sign = signs[condition];
        if (sign === undefined) throw new Error(`There is no condition ${condition}.`);
        return `${quote(column)} ${sign} ${add(value)}`;
      });
      return all.length === 0 ? "" : ` WHERE ${all.join(any ? " OR " : " AND ")}`;
    };
    return { quote, add, table, where, params };
  };
  // Splits a text into statements. A semicolon within quotes, dollar quotes or a comment does not end a statement.
  n8n.sqlStatements = (text) => {
    const parts =
      n8n
        .text(text)
        .match(
          /\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|;|[^;'"$/-]+|[\s\S]/g,
        ) ?? [];
    const found = [""];
    for (const part of parts) {
      if (part === ";") found.push("");
      else found[found.length - 1] += part;
    }
    return found.map((one) => one.trim()).filter((one) => one.replaceAll(/--[^\n]*/g, "").trim());
  };
  n8n.sqlQuery = (dialect, text, given) => {
    const listed = Array.isArray(given) ? given : n8n.text(given).split(",");
    const values = listed.map((one) => (typeof one === "string" ? one.trim() : one));
    const params = given === undefined ? [] : values;
    if (dialect === "postgres" || params.length === 0) return { sql: n8n.text(text), params };
    // n8n also numbers MySQL parameters, while MySQL uses placeholders in order.
    const placed = [];
    const sql = n8n.text(text).replaceAll(/\$(\d+)/g, (_, at) => {
      placed.push(params[Number(at) - 1] ?? null);
      return "?";
    });
    return { sql, params: placed.length === 0 ? params : placed };
  };
  n8n.sqlSelect = (
    dialect,
    { columns = [], conditions = [], any = false, sort = [], limit, ...from },
  ) => {
    const { quote, table, where, params } = open(dialect);
    const names = columns.filter((name) => name !== "*" && name !== "");
    const order = sort.map(
      ({ column, direction }) => `${quote(column)} ${direction === "DESC" ? "DESC" : "ASC"}`,
    );
    const sql = `SELECT ${names.length === 0 ? "*" : names.map(quote).join(", ")} FROM ${table(from)}${where(conditions, any)}${order.length === 0 ? "" : ` ORDER BY ${order.join(", ")}`}${limit === undefined ? "" : ` LIMIT ${Math.trunc(Number(limit))}`}`;
    return { sql, params };
  };
  n8n.sqlInsert = (dialect, { row, keys, skip = false, ...into }) => {
    const { quote, add, table, params } = open(dialect);
    const names = Object.keys(row).filter((name) => row[name] !== undefined && name !== "$binary");
    const values = names.map((name) => add(row[name]));
    const others = names.filter((name) => !(keys ?? []).includes(name));
    const isPostgres = dialect === "postgres";
    const set = others.map((name) =>
      isPostgres
        ? `${quote(name)} = EXCLUDED.${quote(name)}`
        : `${quote(name)} = VALUES(${quote(name)})`,
    );
    const conflict =
      keys !== undefined
        ? isPostgres
          ? ` ON CONFLICT (${keys.map(quote).join(", ")}) DO ${set.length === 0 ? "NOTHING" : `UPDATE SET ${set.join(", ")}`}`
          : ` ON DUPLICATE KEY UPDATE ${(set.length === 0 ? keys.map((name) => `${quote(name)} = ${quote(name)}`) : set).join(", ")}`
        : skip && isPostgres
          ? " ON CONFLICT DO NOTHING"
          : "";
    const verb = skip && !isPostgres ? "INSERT IGNORE" : "INSERT";
    const body =
      names.length === 0
        ? isPostgres
          ? "DEFAULT VALUES"
          : "() VALUES ()"
        : `(${names.map(quote).join(", ")}) VALUES (${values.join(", ")})`;
    return {
      sql: `${verb} INTO ${table(into)} ${body}${conflict}${isPostgres ? " RETURNING *" : ""}`,
      params,
    };
  };
  n8n.sqlUpdate = (dialect, { row, keys, ...of }) => {
    const { quote, add, table, where, params } = open(dialect);
    const names = Object.keys(row).filter(
      (name) => !keys.includes(name) && row[name] !== undefined && name !== "$binary",
    );
    const set = names.map((name) => `${quote(name)} = ${add(row[name])}`);
    const conditions = keys.map((column) => ({ column, value: row[column] }));
    const sql = `UPDATE ${table(of)} SET ${set.join(", ")}${where(conditions, false)}${dialect === "postgres" ? " RETURNING *" : ""}`;
    return { sql, params };
  };
  n8n.sqlDelete = (
    dialect,
    { command = "truncate", conditions = [], any = false, restart = false, cascade = false, ...of },
  ) => {
    const { table, where, params } = open(dialect);
    const end = dialect === "postgres" && cascade ? " CASCADE" : "";
    if (command === "drop") return { sql: `DROP TABLE IF EXISTS ${table(of)}${end}`, params };
    if (command === "truncate")
      return {
        sql: `TRUNCATE TABLE ${table(of)}${restart && dialect === "postgres" ? " RESTART IDENTITY" : ""}${end}`,
        params,
      };
    const sql = `DELETE FROM ${table(of)}${where(conditions, any)}`;
    return { sql, params };
  };
  // Converts the conditions of a data table to a record filter.
  n8n.tableFilter = (conditions, any) => {
    const all = conditions.map(({ column, condition = "eq", value }) => {
      const text = n8n.text(value);
      if (condition === "isEmpty") return { [column]: { exists: false } };
      if (condition === "isNotEmpty") return { [column]: { exists: true } };
      if (condition === "isTrue" || condition === "isFalse")
        return { [column]: condition === "isTrue" };
      if (condition === "neq") return { [column]: { ne: value } };
      if (condition !== "like") return { [column]: { [condition]: value } };
      const inner = text.replace(/^%/, "").replace(/%$/, "");
      const operator = text.startsWith("%")
        ? text.endsWith("%")
          ? "contains"
          : "endsWith"
        : text.endsWith("%")
          ? "startsWith"
          : "eq";
      return { [column]: { [operator]: inner } };
    });
    return all.length === 0 ? undefined : any ? { or: all } : { and: all };
  };
  // A formula for the Airtable records with these values.
  n8n.airtableFormula = (keys, row) => {
    const parts = keys.map((key) => {
      const value = row[key];
      const text =
        typeof value === "number"
          ? String(value)
          : `"${n8n.text(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
      return `{${String(key).replaceAll("}", "\\}")}} = ${text}`;
    });
    return `AND(${parts.join(", ")})`;
  };
  n8n.airtableMatches = (records, isAll) => {
    if (records.length === 0) throw new Error("No records match these keys.");
    return (isAll ? records : records.slice(0, 1)).map(({ id }) => id);
  };
}
