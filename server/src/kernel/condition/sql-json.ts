import { SQL_OPERATORS, textComparisonSql, type SqlComparison } from "./sql-text.ts";

const NULL = `'null'::jsonb`;

/** Compares a jsonb value, which can have any JSON type or be missing. */
export function jsonSql(sql: string, comparison: SqlComparison): string {
  const { operator, operand, parameters } = comparison;
  const json = (value: unknown): string => parameters.add(JSON.stringify(value), "jsonb");
  switch (operator) {
    case "exists":
      return presenceSql(sql, operand === true);
    case "eq":
      return operand === null ? presenceSql(sql, false) : `${sql} = ${json(operand)}`;
    case "in": {
      const members = operand as readonly unknown[];
      const values = members.filter((member) => member !== null);
      const texts = values.map((member) => JSON.stringify(member));
      const parts = texts.length === 0 ? [] : [`${sql} = any(${parameters.add(texts, "jsonb[]")})`];
      if (values.length < members.length) parts.push(presenceSql(sql, false));
      return parts.join(" or ");
    }
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      if (typeof operand !== "number") return jsonTextSql(sql, comparison);
      return `${isTypeSql(sql, "number")} and ${sql} ${SQL_OPERATORS[operator]} ${json(operand)}`;
    case "contains": {
      const inArray = memberSql(sql, operand, json);
      return typeof operand === "string"
        ? `${jsonTextSql(sql, comparison)} or ${inArray}`
        : inArray;
    }
    case "startsWith":
    case "endsWith":
      return jsonTextSql(sql, comparison);
  }
}

/** SQL that is true if an array has a member equal to the operand. */
function memberSql(sql: string, operand: unknown, json: (value: unknown) => string): string {
  // For scalar members, containment means equality; for others it is weaker.
  if (typeof operand !== "object" || operand === null) return `${sql} @> ${json([operand])}`;
  const members = `case when ${isTypeSql(sql, "array")} then ${sql} else '[]' end`;
  // No column can have these names. Table columns are visible here, so a clash would change the meaning.
  const each = `jsonb_array_elements(${members}) as "~list" ("~member")`;
  return `exists (select from ${each} where "~member" = ${json(operand)})`;
}

/** SQL that compares the value as text if it is one. jsonb itself would compare by locale. */
function jsonTextSql(sql: string, comparison: SqlComparison): string {
  return `(${isTypeSql(sql, "string")} and ${textComparisonSql(`(${sql} #>> '{}')`, comparison)})`;
}

function isTypeSql(sql: string, type: string): string {
  return `jsonb_typeof(${sql}) = '${type}'`;
}

/** JSON null counts as missing. */
function presenceSql(sql: string, isPresent: boolean): string {
  return isPresent ? `${sql} <> ${NULL}` : `(${sql} <> ${NULL}) is not true`;
}
