/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** Converts responses of services to the form of n8n nodes. */
export function addAnswers(n8n) {
  const { DateTime } = globalThis;
  n8n.dateTime = (value) => {
    if (value instanceof DateTime) return value.toISO();
    const text = n8n.text(value);
    const iso = DateTime.fromISO(text, { setZone: true });
    if (iso.isValid) return iso.toISO();
    const other = new Date(text);
    return Number.isNaN(other.getTime()) ? text : other.toISOString();
  };
  const decode = (data) => Buffer.from(data ?? "", "base64url").toString("utf8");
  const parts = (payload = {}) => [payload, ...(payload.parts ?? []).flatMap(parts)];
  const headersOf = (message) =>
    Object.fromEntries((message.payload?.headers ?? []).map(({ name, value }) => [name, value]));
  n8n.mail = (message, isSimple) => {
    const { payload, ...rest } = message;
    const headers = headersOf(message);
    const all = parts(payload);
    const body = (type) =>
      all.find(({ mimeType, body }) => mimeType === type && body?.data)?.body.data;
    const [text, html] = [decode(body("text/plain")), decode(body("text/html"))];
    const named = (name) =>
      Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    if (isSimple)
      return {
        ...rest,
        payload: { mimeType: payload?.mimeType },
        ...headers,
        text,
        html,
      };
    return {
      ...rest,
      headers,
      subject: named("subject"),
      date: named("date"),
      messageId: named("message-id"),
      from: {
        text: named("from"),
        value: [{ address: /<([^>]+)>/.exec(named("from") ?? "")?.[1] ?? named("from") }],
      },
      to: { text: named("to") },
      text,
      html,
      textAsHtml: html,
    };
  };
  n8n.mailReply = (message, asked) => {
    const headers = Object.fromEntries(
      Object.entries(headersOf(message)).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const subject = headers.subject ?? "";
    return {
      ...asked,
      to: headers["reply-to"] ?? headers.from ?? "",
      subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`,
      threadId: message.threadId,
      inReplyTo: headers["message-id"],
    };
  };
  // Requests the files of a Gmail message one by one.
  n8n.mailFiles = (message) =>
    parts(message.payload)
      .filter(({ filename, body }) => filename && body?.attachmentId)
      .map(({ filename, body }) => ({ name: filename, attachmentId: body.attachmentId }));
  const oneLine = (value) => {
    const line = n8n.text(value).replaceAll(/[\r\n]+/g, " ");
    return /^[\x20-\x7e]*$/.test(line)
      ? line
      : `=?UTF-8?B?${Buffer.from(line, "utf8").toString("base64")}?=`;
  };
  const wrap = (base64) => base64.replaceAll(/.{76}/g, "$&\r\n");
  // A mail with files in RFC 5322 format. Header injection is prevented.
  n8n.mailText = ({ text, html, ...headers }, files) => {
    const names = {
      to: "To",
      cc: "Cc",
      bcc: "Bcc",
      replyTo: "Reply-To",
      subject: "Subject",
      inReplyTo: "In-Reply-To",
    };
    const boundary = `part_${crypto.randomUUID()}`;
    const part = (type, more, content) =>
      [
        `--${boundary}`,
        `Content-Type: ${type}`,
        "Content-Transfer-Encoding: base64",
        ...more,
        "",
        wrap(content),
      ].join("\r\n");
    const lines = Object.entries(names).flatMap(([key, name]) =>
      n8n.given(headers[key]) === undefined ? [] : [`${name}: ${oneLine(headers[key])}`],
    );
    const body = Buffer.from(html ?? text ?? "", "utf8").toString("base64");
    return [
      ...lines,
      "MIME-Version: 1.0",
      `Content-Type: multipart/mixed; boundary="${boundary}"`,
      "",
      part(`text/${html === undefined ? "plain" : "html"}; charset=UTF-8`, [], body),
      ...files.map(({ name, mediaType, bytes }) =>
        part(
          oneLine(mediaType ?? "application/octet-stream"),
          [`Content-Disposition: attachment; filename="${oneLine(name).replaceAll('"', "'")}"`],
          Buffer.from(bytes).toString("base64"),
        ),
      ),
      `--${boundary}--`,
      "",
    ].join("\r\n");
  };
  n8n.document = ({ documentId, title, body }) => ({
    documentId,
    title,
    content: (body?.content ?? [])
      .flatMap(({ paragraph }) => paragraph?.elements ?? [])
      .map(({ textRun }) => textRun?.content ?? "")
      .join(""),
  });
  n8n.jiraText = (value) =>
    typeof value === "object" && value !== null
      ? value
      : {
          type: "doc",
          version: 1,
          content: n8n
            .text(value)
            .split("\n")
            .map((line) => ({
              type: "paragraph",
              content: line === "" ? [] : [{ type: "text", text: line }],
            })),
        };
  n8n.notionId = (value) => {
    const text = n8n.text(value);
    const found = /([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[?#].*)?$/i.exec(
      text,
    );
    return found?.[1] ?? text;
  };
  const plainText = (list) => (list ?? []).map(({ plain_text }) => plain_text).join("");
  const simple = (property) => {
    const { type } = property;
    const value = property[type];
    switch (type) {
      case "title":
      case "rich_text":
        return plainText(value);
      case "select":
      case "status":
        return value?.name ?? null;
      case "multi_select":
        return value.map(({ name }) => name);
      case "people":
        return value.map(({ name, id }) => name ?? id);
      case "relation":
        return value.map(({ id }) => id);
      case "files":
        return value.map((file) => file.external?.url ?? file.file?.url);
      case "formula":
      case "rollup":
        return value?.[value?.type] ?? null;
      case "unique_id":
        return [value?.prefix, value?.number]
          .filter((one) => one !== null && one !== undefined)
          .join("-");
      case "created_by":
      case "last_edited_by":
        return value?.name ?? value?.id;
      default:
        return value;
    }
  };
  n8n.notionPage = ({ id, properties = {}, url, icon, cover }) => {
    const named = Object.entries(properties).map(([name, property]) => [
      `property_${name
        .trim()
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "_")
        .replaceAll(/^_+|_+$/g, "")}`,
      simple(property),
    ]);
    const title = Object.values(properties).find(({ type }) => type === "title");
    return { id, name: title ? simple(title) : "", url, icon, cover, ...Object.fromEntries(named) };
  };
  n8n.notionBlock = (block) => ({
    id: block.id,
    root_id: block.parent?.page_id,
    parent_id: block.parent?.[block.parent?.type],
    type: block.type,
    content: plainText(block[block.type]?.rich_text),
  });
}
