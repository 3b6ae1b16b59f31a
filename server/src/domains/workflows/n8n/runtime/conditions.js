/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** n8n conditions: older nodes compare raw values, newer nodes compare by type. */
export function addConditions(n8n, { plain, isEmpty, isObject }) {
  const { DateTime } = globalThis;
  const test = (pattern, value) => {
    const known = n8n.text(pattern);
    const [, body = known, flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(known) ?? [];
    return new RegExp(body, flags).test(n8n.text(value));
  };
  const unknown = (operator) => {
    throw new Error(`There is no operator ${operator}.`);
  };
  const timeOf = (value) => {
    const time = typeof value === "number" ? value : new Date(plain(value)).getTime();
    if (Number.isNaN(time)) throw new Error(`${n8n.text(value)} is no date.`);
    return time;
  };
  const words = (value) => String(value || "");
  const OLD = {
    equal: (a, b) => a === b,
    notEqual: (a, b) => a !== b,
    contains: (a, b) => words(a).includes(words(b)),
    notContains: (a, b) => !words(a).includes(words(b)),
    startsWith: (a, b) => a.startsWith(b),
    notStartsWith: (a, b) => !a.startsWith(b),
    endsWith: (a, b) => a.endsWith(b),
    notEndsWith: (a, b) => !a.endsWith(b),
    larger: (a, b) => (a || 0) > (b || 0),
    largerEqual: (a, b) => (a || 0) >= (b || 0),
    smaller: (a, b) => (a || 0) < (b || 0),
    smallerEqual: (a, b) => (a || 0) <= (b || 0),
    after: (a, b) => (a || 0) > (b || 0),
    before: (a, b) => (a || 0) < (b || 0),
    isEmpty: (a) => Number.isNaN(a) || isEmpty(a),
    isNotEmpty: (a) => !Number.isNaN(a) && !isEmpty(a),
    regex: (a, b) => test(b, a),
    notRegex: (a, b) => !test(b, a),
  };
  n8n.compareOld = (left, operator, right, type) => {
    const [a, b] =
      type === "dateTime" ? [timeOf(left), timeOf(right)] : [plain(left), plain(right)];
    return (OLD[operator] ?? unknown(operator))(a, b);
  };
  const parseList = (value, isRight) => {
    if (isRight(value)) return value;
    try {
      const parsed = JSON.parse(n8n.text(value));
      return isRight(parsed) ? parsed : undefined;
    } catch {
      return undefined;
    }
  };
  const TYPES = {
    string: (value) => (typeof value === "object" ? JSON.stringify(value) : String(value)),
    number: (value, version) => {
      const isNothing =
        (typeof value === "string" && value.trim() === "") ||
        (Array.isArray(value) && value.length === 0);
      if (isNothing && version >= 3) return null;
      const number = Number(value);
      return Number.isNaN(number) && !Number.isNaN(value) ? undefined : number;
    },
    boolean: (value, version) => {
      const word = typeof value === "string" ? value.toLowerCase() : value;
      if (version >= 2 && (word === "true" || word === "1")) return true;
      if (version >= 2 && (word === "false" || word === "0")) return false;
      return Boolean(value);
    },
    dateTime: (value) => {
      const date = n8n.date(value);
      return date.isValid ? date : undefined;
    },
    array: (value) => parseList(value, Array.isArray),
    object: (value) => parseList(value, isObject),
  };
  const isOfType = (value, type) =>
    type === "array"
      ? Array.isArray(value)
      : type === "object"
        ? typeof value === "object"
        : type === "dateTime" || typeof value === type;
  // A value by its type. Without conversion another type is an error.
  const parse = (given, type, { strict = false, version = 1 }) => {
    const value = type === "dateTime" ? given : plain(given);
    if (value === undefined || value === null || !Object.hasOwn(TYPES, type)) return value;
    const parsed = TYPES[type](value, version);
    if (parsed === undefined || (strict && !isOfType(value, type)))
      throw new Error(
        strict
          ? `${n8n.text(value)} is of the type ${typeof value}, and the condition takes ${type} alone.`
          : `${n8n.text(value)} can't be read as ${type}.`,
      );
    return parsed;
  };
  const ALONE = new Set(["exists", "notExists", "empty", "notEmpty", "true", "false"]);
  n8n.holds = (left, operator, right, options = {}) => {
    const { type = "", caseSensitive = true } = options;
    const rightType = type === "array" ? (/^length/.test(operator) ? "number" : "any") : type;
    const a = parse(left, type, options);
    const b = ALONE.has(operator) ? undefined : parse(right, rightType, options);
    const exists = a !== undefined && a !== null && !Number.isNaN(a);
    if (operator === "exists") return exists;
    if (operator === "notExists") return !exists;
    const fold = (value) =>
      caseSensitive || typeof value !== "string" ? value : value.toLowerCase();
    switch (type) {
      case "string":
        return compareTexts(
          fold(a ?? ""),
          operator,
          /regex/i.test(operator) ? (b ?? "") : fold(b ?? ""),
        );
      case "dateTime":
        if (operator === "empty" || operator === "notEmpty")
          return exists === (operator === "notEmpty");
        return a && b ? compareNumbers(a.toMillis(), operator, b.toMillis()) : false;
      case "boolean":
        if (operator === "true") return Boolean(a);
        if (operator === "false") return !a;
        if (operator === "empty" || operator === "notEmpty")
          return exists === (operator === "notEmpty");
        return (a === b) === (operator === "equals");
      case "array":
        return compareLists(a ?? [], operator, fold(b), fold);
      case "object":
        return isEmpty(a) === (operator === "empty");
      case "number":
        if (operator === "empty" || operator === "notEmpty")
          return exists === (operator === "notEmpty");
        return compareNumbers(a, operator, b);
      default:
        return compareAny(a, operator, b, fold);
    }
  };
  function compareTexts(a, operator, b) {
    switch (operator) {
      case "empty":
        return a.length === 0;
      case "notEmpty":
        return a.length > 0;
      case "equals":
        return a === b;
      case "notEquals":
        return a !== b;
      case "contains":
        return a.includes(b);
      case "notContains":
        return !a.includes(b);
      case "startsWith":
        return a.startsWith(b);
      case "notStartsWith":
        return !a.startsWith(b);
      case "endsWith":
        return a.endsWith(b);
      case "notEndsWith":
        return !a.endsWith(b);
      case "regex":
        return test(b, a);
      case "notRegex":
        return !test(b, a);
      default:
        return unknown(operator);
    }
  }
  function compareNumbers(a, operator, b) {
    switch (operator) {
      case "equals":
        return a === b;
      case "notEquals":
        return a !== b;
      case "gt":
      case "after":
        return a > b;
      case "gte":
      case "afterOrEquals":
        return a >= b;
      case "lt":
      case "before":
        return a < b;
      case "lte":
      case "beforeOrEquals":
        return a <= b;
      default:
        return unknown(operator);
    }
  }
  function compareLists(a, operator, b, fold) {
    const has = () => a.some((one) => fold(one) === b);
    switch (operator) {
      case "contains":
        return has();
      case "notContains":
        return !has();
      case "empty":
        return a.length === 0;
      case "notEmpty":
        return a.length > 0;
      case "lengthEquals":
        return a.length === b;
      case "lengthNotEquals":
        return a.length !== b;
      case "lengthGt":
        return a.length > b;
      case "lengthGte":
        return a.length >= b;
      case "lengthLt":
        return a.length < b;
      case "lengthLte":
        return a.length <= b;
      default:
        return unknown(operator);
    }
  }
  // Without a type, values are compared unchanged.
  function compareAny(a, operator, b, fold) {
    if (operator === "empty" || operator === "notEmpty")
      return isEmpty(a) === (operator === "empty");
    if (["gt", "gte", "lt", "lte"].includes(operator))
      return compareNumbers(Number(a), operator, Number(b));
    return Array.isArray(a) && /contains/i.test(operator)
      ? compareLists(a, operator, fold(b), fold)
      : compareTexts(fold(n8n.text(a)), operator, fold(n8n.text(b)));
  }
}
