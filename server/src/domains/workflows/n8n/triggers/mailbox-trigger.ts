/**
 * IMAP mailboxes. The n8n trigger outputs complete messages; here a poll reports a new message and a step reads it.
 * So the node is split into a trigger and a reading step.
 */
import {
  callScript,
  type Convert,
  NotConvertible,
  type TriggerContext,
  type TriggerTable,
} from "../conversion.ts";
import { type Json, type N8nWorkflow, toList, toObject, toText } from "../n8n-workflow.ts";

const READER = "imapMessage";

/** The workflow with each mailbox node split into two. */
export function splitMailboxes(workflow: N8nWorkflow): N8nWorkflow {
  const boxes = workflow.nodes.filter(
    ({ type, disabled }) => type === "emailReadImap" && !disabled,
  );
  if (boxes.length === 0) return workflow;
  const starts = boxes.map((node) => ({
    ...node,
    name: `${node.name} (new e-mails)`,
    type: "emailReadImapTrigger",
  }));
  return {
    ...workflow,
    nodes: [
      ...starts,
      ...workflow.nodes.map((node) => (boxes.includes(node) ? { ...node, type: READER } : node)),
    ],
    links: [
      ...boxes.map(({ name }) => ({
        from: `${name} (new e-mails)`,
        output: 0,
        to: name,
        input: 0,
      })),
      ...workflow.links,
    ],
  };
}

const EVERY_MS = 60_000;
const MAILS_MAX = 500;
const TITLE = "IMAP (a mailbox)";

function newMails({ node: { parameters }, bind }: TriggerContext) {
  const { mailbox = "INBOX" } = parameters;
  if (toText(mailbox).startsWith("="))
    throw new NotConvertible("uses an expression for the folder");
  const { customEmailConfig } = toObject(parameters["options"]);
  return {
    trigger: {
      type: "connector" as const,
      connectorId: bind("connector", "imap", TITLE),
      poll: { action: "search", items: "messages", itemId: "uid" },
      arguments: {
        folder: toText(mailbox, "INBOX"),
        ...searchOf(customEmailConfig),
        limit: MAILS_MAX,
      },
      everyMs: EVERY_MS,
    },
    approximations: ["new e-mails are fetched every minute"],
  };
}

const FLAGS: Readonly<Record<string, object>> = {
  ALL: {},
  NEW: { seen: false },
  UNSEEN: { seen: false },
  SEEN: { seen: true },
  FLAGGED: { flagged: true },
  UNFLAGGED: { flagged: false },
  ANSWERED: { answered: true },
  UNANSWERED: { answered: false },
};
const FIELDS: Readonly<Record<string, string>> = {
  FROM: "from",
  TO: "to",
  SUBJECT: "subject",
  TEXT: "text",
  BODY: "text",
};

/** The search for matching messages, by default unread ones. */
function searchOf(rules: Json): object {
  if (rules === undefined || rules === "") return { seen: false };
  const criteria = toList(parseRules(toText(rules))).map((rule): object | undefined => {
    if (typeof rule === "string") return FLAGS[rule.toUpperCase()];
    const [name, value] = toList(rule).map((one) => toText(one));
    const field = FIELDS[name?.toUpperCase() ?? ""];
    if (field !== undefined && value) return { [field]: value };
    const time = new Date(value ?? "");
    const isSince = name?.toUpperCase() === "SINCE" && !Number.isNaN(time.getTime());
    return isSince ? { since: time.toISOString() } : undefined;
  });
  if (criteria.some((one) => one === undefined))
    throw new NotConvertible("searches e-mails with custom rules");
  return Object.assign({}, ...criteria) as object;
}

function parseRules(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new NotConvertible("searches e-mails with custom rules");
  }
}

const readMail: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  const {
    mailbox = "INBOX",
    format = "simple",
    postProcessAction = "read",
    downloadAttachments = version < 2 ? true : false,
    dataPropertyAttachmentsPrefixName = "attachment_",
  } = parameters;
  if (format === "raw") throw new NotConvertible("reads e-mails in raw format");
  const hasFiles = format === "resolved" || downloadAttachments === true;
  const folder = JSON.stringify(toText(mailbox, "INBOX"));
  const about = JSON.stringify({
    format: toText(format),
    prefix: toText(dataPropertyAttachmentsPrefixName, "attachment_"),
  });
  const code = `const folder = ${folder}, { uid } = $json, files = [];
  const mail = await call("fetch", { folder, uid });
  ${hasFiles ? `for (const { part } of mail.attachments) files.push((await call("fetch_attachment", { folder, uid, part })).file);\n  ` : ""}${postProcessAction === "nothing" ? "" : `await call("flag", { folder, uids: [uid], add: ["\\\\Seen"] });\n  `}return [n8n.mailItem(mail, { ...${about}, files })];`;
  const connectorId = ctx.bind("connector", "imap", TITLE);
  const made = callScript(ctx, { connectorId, code, text: "" });
  return {
    ...made,
    approximations: [
      ...(made.approximations ?? []),
      "only the common headers of an e-mail are available",
      ...(postProcessAction === "nothing" ? [] : ["the connector requires write access"]),
    ],
  };
};

export const mailboxTriggers: TriggerTable = { emailReadImapTrigger: newMails };
export const mailboxNodes = { [READER]: readMail };
