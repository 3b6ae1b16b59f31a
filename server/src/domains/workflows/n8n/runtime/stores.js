/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** Converts Redis values, MongoDB documents and IMAP messages to n8n items. */
export function addStores(n8n) {
  n8n.maybeJson = (value) => {
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  };
  // A key of another type is detected by the error, because reading the type would need the permission for any
  // command.
  n8n.redisGet = async (call, key, type) => {
    const reads = {
      string: async () => (await call("get", { key })).value,
      hash: async () => (await call("hash_get", { key })).fields,
      list: async () => (await call("list_range", { key, start: 0, stop: -1 })).values,
    };
    if (type !== "automatic") {
      if (!reads[type]) throw new Error(`It can't read a key of the type ${type}.`);
      return reads[type]();
    }
    let first;
    for (const read of Object.values(reads)) {
      try {
        return await read();
      } catch (error) {
        first ??= error;
      }
    }
    throw first;
  };
  n8n.redisSet = async (call, key, value, { type, json, expireMs }) => {
    const kind =
      type !== "automatic"
        ? type
        : typeof value === "string"
          ? "string"
          : Array.isArray(value)
            ? "list"
            : typeof value === "object" && value !== null
              ? "hash"
              : undefined;
    if (kind === "string") {
      await call("set", { key, value: n8n.text(value), ...(expireMs && { expireMs }) });
      return;
    }
    const given = json ? n8n.maybeJson(value) : value;
    if (kind === "hash") {
      const fields = Object.entries(given).map(([name, one]) => [name, n8n.text(one)]);
      await call("hash_set", { key, fields: Object.fromEntries(fields) });
    } else if (kind === "list") {
      await call("delete", { keys: [key] });
      await call("list_push", { key, values: given.map(n8n.text), at: "end" });
    } else {
      throw new Error("Could not identify the type to set.");
    }
    if (expireMs) await call("expire", { key, expireMs });
  };
  // JSON for a header, limited to ASCII.
  n8n.ascii = (value) =>
    JSON.stringify(value).replaceAll(
      /[\u007f-\uffff]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  // A value in a Salesforce query: quoted text with escaped quotes.
  n8n.soqlValue = (value) =>
    /^(?:-?\d+(?:\.\d+)?|true|false|null|\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)$/.test(n8n.text(value))
      ? n8n.text(value)
      : `'${n8n.text(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  // The objects of an S3 list response, which is XML.
  n8n.s3Objects = (body) => {
    const { ListBucketResult = {} } = typeof body === "string" ? n8n.xml(body, {}) : (body ?? {});
    const found = ListBucketResult.Contents ?? [];
    return Array.isArray(found) ? found : [found];
  };
  // The rows of a Google Analytics report: dimensions and metrics by name.
  n8n.reportRows = ({ dimensionHeaders = [], metricHeaders = [], rows = [] }) =>
    rows.map(({ dimensionValues = [], metricValues = [] }) =>
      Object.fromEntries([
        ...dimensionHeaders.map(({ name }, at) => [name, dimensionValues[at]?.value]),
        ...metricHeaders.map(({ name }, at) => [name, metricValues[at]?.value]),
      ]),
    );
  // The rows of a BigQuery response.
  n8n.bigRows = ({ schema, rows = [] }) =>
    rows.map(({ f }) =>
      Object.fromEntries((schema?.fields ?? []).map(({ name }, at) => [name, f[at]?.v])),
    );
  const isObject = (value) => typeof value === "object" && value !== null;
  // Ids and times become text in items.
  n8n.mongoDocument = (value) => {
    if (Array.isArray(value)) return value.map(n8n.mongoDocument);
    if (!isObject(value)) return value;
    if (typeof value.$oid === "string") return value.$oid;
    if (value.$date !== undefined)
      return typeof value.$date === "string" ? value.$date : new Date(value.$date).toISOString();
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, n8n.mongoDocument(one)]),
    );
  };
  const isId = (value) => typeof value === "string" && /^[0-9a-f]{24}$/i.test(value);
  // A query can be JSON text. Ids in the format of MongoDB become MongoDB ids.
  n8n.mongoQuery = (value) => {
    const query = typeof value === "string" ? JSON.parse(value.trim() || "{}") : value;
    return isObject(query) && isId(query._id) ? { ...query, _id: { $oid: query._id } } : query;
  };
  n8n.mongoFields = (item, fields, { dates, dotted }) =>
    fields.reduce((row, field) => {
      const found = (dotted ? n8n.get(item, field) : item[field]) ?? null;
      const isDate = found !== null && dates.includes(field);
      const value = isDate ? { $date: new Date(found).toISOString() } : found;
      return dotted ? n8n.set(row, field, value) : { ...row, [field]: value };
    }, {});
  const addresses = (list) =>
    (list ?? [])
      .map(({ name, address }) => (name ? `${name} <${address}>` : address))
      .filter(Boolean)
      .join(", ");
  // A mail with the n8n names of its parts, in simple or fully parsed form.
  n8n.mailItem = (mail, { format, prefix, files }) => {
    const { uid, subject, date, messageId, from, to, cc, text, html } = mail;
    const $binary = Object.fromEntries(files.map((file, at) => [`${prefix}${at}`, file]));
    const rest = files.length > 0 ? { $binary } : {};
    const about = { subject, date, attributes: { uid } };
    if (format === "resolved") {
      const parsed = (list) => ({ value: list ?? [], text: addresses(list) });
      return {
        ...about,
        messageId,
        from: parsed(from),
        to: parsed(to),
        ...(cc?.length && { cc: parsed(cc) }),
        text: text ?? "",
        html: html ?? false,
        textAsHtml: html ?? text ?? "",
        ...rest,
      };
    }
    return {
      ...about,
      from: addresses(from),
      to: addresses(to),
      ...(cc?.length && { cc: addresses(cc) }),
      textPlain: text ?? "",
      textHtml: html ?? "",
      metadata: { "message-id": messageId },
      ...rest,
    };
  };
}
