/** Gmail messages with files: Gmail accepts them as one MIME text, and returns files through separate calls. */
import { toCode } from "../../code-text.ts";
import { callScript, type Convert, type NodeContext } from "../../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../../n8n-workflow.ts";
import { serviceNode } from "../service-node.ts";

/** The field names of the attached files. */
function attachmentsOf(parameters: JsonObject): Json[] {
  const { options, additionalFields } = parameters;
  const { attachmentsBinary } = toObject(
    toObject(options)["attachmentsUi"] ?? toObject(additionalFields)["attachmentsUi"],
  );
  // An empty name means the default name of n8n.
  return toList(attachmentsBinary).map((one) => toObject(one)["property"] ?? "data");
}

const gmail: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { resource = "message", operation = resource === "draft" ? "create" : "send" } = parameters;
  const { downloadAttachments } = toObject(parameters["options"]);
  const does = `${toText(resource)}.${toText(operation)}`;
  const isSent = ["message.send", "message.reply", "thread.reply", "draft.create"].includes(does);
  if (isSent && attachmentsOf(parameters).length > 0) return sendFiles(ctx, does);
  const isRead = does === "message.get" || does === "message.getAll";
  if (isRead && downloadAttachments === true) return readFiles(ctx, does);
  return serviceNode(ctx);
};

function sendFiles(ctx: NodeContext, does: string) {
  const { parameters } = ctx.node;
  const options = {
    ...toObject(parameters["additionalFields"]),
    ...toObject(parameters["options"]),
  };
  const member = (name: string, value: Json): string[] =>
    value === undefined || value === "" ? [] : [`${name}: n8n.text(${toCode(value)})`];
  const isText = parameters["emailType"] === "text";
  const to = parameters["sendTo"] ?? parameters["toList"] ?? options["sendTo"];
  const members = [
    ...(to === undefined ? [] : [`to: n8n.list(${toCode(to)}).join(", ")`]),
    ...member("subject", parameters["subject"]),
    ...member("cc", options["ccList"]),
    ...member("bcc", options["bccList"]),
    ...member("replyTo", options["replyTo"]),
    ...member(isText ? "text" : "html", parameters["message"]),
  ];
  const names = attachmentsOf(parameters).map((one) => `...n8n.list(${toCode(one)})`);
  const isReply = does.endsWith(".reply");
  const place = does === "draft.create" ? "drafts" : "messages/send";
  const known = isReply
    ? `const { body: before } = await call("get_message", { id: n8n.text(${toCode(parameters["messageId"] ?? "")}), format: "metadata" });
  const mail = n8n.mailReply(before, { ${members.join(", ")} });`
    : `const mail = { ${members.join(", ")} };`;
  // A thread is identified by its headers and its subject.
  const code = `${known}
  const files = [];
  for (const name of [${names.join(", ")}]) {
    const { $file, name: fileName, mediaType } = n8n.file($item, name);
    files.push({ name: fileName, mediaType, bytes: await context.files.read({ $file }) });
  }
  const body = await context.files.write("mail.eml", n8n.mailText(mail, files));
  const one = await call("request", { method: "POST", path: "/upload/gmail/v1/users/me/${place}", query: { uploadType: "media" }, headers: { "content-type": "message/rfc822" }, body });
  return [one.body];`;
  const connectorId = ctx.bind("connector", "gmail", "Gmail (a service of the catalogue)");
  return callScript(ctx, { connectorId, code, text: parameters });
}

const PAGE_MAX = 500;

function readFiles(ctx: NodeContext, does: string) {
  const { parameters } = ctx.node;
  const { limit = 50, returnAll, simple, messageId = "" } = parameters;
  const { dataPropertyAttachmentsPrefixName = "attachment_" } = toObject(parameters["options"]);
  const filters = toObject(parameters["filters"]);
  const word = (name: string, path: string): string[] =>
    filters[path] === undefined || filters[path] === ""
      ? []
      : [`"${name}" + n8n.text(${toCode(filters[path])})`];
  const status = filters["readStatus"];
  const query = [
    ...word("", "q"),
    ...word("from:", "sender"),
    ...word("after:", "receivedAfter"),
    ...word("before:", "receivedBefore"),
    ...(status === "read" || status === "unread" ? [`"is:${status}"`] : []),
  ];
  const labels =
    filters["labelIds"] === undefined ? "" : `, labelIds: n8n.list(${toCode(filters["labelIds"])})`;
  const most = returnAll === true ? PAGE_MAX : `Math.min(${PAGE_MAX}, Number(${toCode(limit)}))`;
  const ids =
    does === "message.get"
      ? `[n8n.text(${toCode(messageId)})]`
      : `(await call("list_messages", { q: [${query.join(", ")}].join(" ")${labels}, maxResults: ${most} })).items.map(({ id }) => id)`;
  const prefix = toCode(toText(dataPropertyAttachmentsPrefixName, "attachment_"));
  const code = `const made = [];
  for (const id of ${ids}) {
    const { body } = await call("get_message", { id, format: "full" });
    const $binary = {};
    for (const [at, { attachmentId, name }] of n8n.mailFiles(body).entries()) {
      const { body: file } = await call("request", { method: "GET", path: "/gmail/v1/users/me/messages/" + id + "/attachments/" + attachmentId });
      $binary[${prefix} + at] = await context.files.write(name, Buffer.from(file.data, "base64url"));
    }
    made.push(n8n.withFiles(n8n.mail(body, ${simple !== false}), $binary));
  }
  return made;`;
  const connectorId = ctx.bind("connector", "gmail", "Gmail (a service of the catalogue)");
  const made = callScript(ctx, { connectorId, code, text: parameters });
  const note = "e-mails have the simplified fields, with text and HTML";
  return { ...made, approximations: [...(made.approximations ?? []), note] };
}

export const mailFileNodes = { gmail };
