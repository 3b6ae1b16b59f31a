import type { SearchObject } from "imapflow";
import Type, { type Static } from "typebox";
import { InputTime, line, object, text } from "#kernel/schema/schema.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { withRetries } from "../../upstream/retry.ts";
import { hostErrors } from "../../upstream/target.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import { action, connectorType } from "../connector-type.ts";
import { config, type ImapConfig } from "./config.ts";
import { listParts, readText, toSummary } from "./message.ts";
import { withFolder, withServer } from "./session.ts";

type ImapConnection = UpstreamConnection<ImapConfig>;

const UIDS_MAX = 500;
const Folder = Type.String({ minLength: 1, maxLength: 500, default: "INBOX" });
const Uid = Type.Integer({ minimum: 1, maximum: 4_294_967_295 });
const Uids = Type.Array(Uid, { minItems: 1, maxItems: UIDS_MAX });
const Flags = Type.Array(line(60), {
  maxItems: 20,
  description: "Such as `\\Seen`, `\\Flagged`, or a custom keyword",
});

const SearchInput = object({
  folder: Folder,
  seen: Type.Optional(Type.Boolean({ description: "`false`: only unread messages" })),
  flagged: Type.Optional(Type.Boolean()),
  answered: Type.Optional(Type.Boolean()),
  from: Type.Optional(line(500)),
  to: Type.Optional(line(500)),
  subject: Type.Optional(line(500)),
  text: Type.Optional(line(500, "Text in the headers or the body")),
  since: Type.Optional(InputTime),
  before: Type.Optional(InputTime),
  afterUid: Type.Optional(Uid),
  limit: Type.Integer({ minimum: 1, maximum: UIDS_MAX, default: 50 }),
});
const FetchInput = object({ folder: Folder, uid: Uid });
const AttachmentInput = object({
  folder: Folder,
  uid: Uid,
  part: line(50, "Id of the part from `fetch`"),
});
const MoveInput = object({ folder: Folder, uids: Uids, to: line(500) });
const FlagInput = object({
  folder: Folder,
  uids: Uids,
  add: Type.Optional(Flags),
  remove: Type.Optional(Flags),
});
const DeleteInput = object({ folder: Folder, uids: Uids });
const AppendInput = object({
  folder: Folder,
  message: text(1_000_000, "A complete message in RFC 5322 format"),
  flags: Type.Optional(Flags),
});
const NoInput = object({});

/** A mailbox on an IMAP server. */
export const imap = connectorType({
  type: "imap",
  summary: "A mailbox on an IMAP server",
  config,
  authKinds: ["basic"],
  actions: [
    action<ImapConfig, typeof NoInput>({
      name: "list_folders",
      summary: "Lists the `folders` with their special use, such as `\\Sent`",
      input: NoInput,
      run: (connection) => repeatably(connection, () => listFolders(connection)),
    }),
    action<ImapConfig, typeof SearchInput>({
      name: "search",
      summary:
        "Finds messages, newest first. Returns `messages` and the number of matches as `total`",
      input: SearchInput,
      run: (connection, input) => repeatably(connection, () => search(connection, input)),
    }),
    action<ImapConfig, typeof FetchInput>({
      name: "fetch",
      summary: "Reads a message: its `text`, `html` and `attachments`. Does not mark it as read",
      input: FetchInput,
      run: (connection, input) => repeatably(connection, () => fetchMessage(connection, input)),
    }),
    action<ImapConfig, typeof AttachmentInput>({
      name: "fetch_attachment",
      summary: "Reads a part of a message as a `file`",
      input: AttachmentInput,
      run: (connection, input) => repeatably(connection, () => fetchPart(connection, input)),
    }),
    action<ImapConfig, typeof MoveInput>({
      name: "move",
      summary: "Moves messages to another folder",
      input: MoveInput,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, { folder, uids, to }) =>
        // Moved messages are no longer in the folder, so repeating the move is safe.
        repeatably(connection, () =>
          withFolder(connection, { folder, readOnly: false }, async (client) => {
            const moved = await client.messageMove(uids.join(","), to, { uid: true });
            if (moved === false)
              throw new UpstreamError(`The messages could not be moved to ${to}.`);
            return { moved: uids.length };
          }),
        ),
    }),
    action<ImapConfig, typeof FlagInput>({
      name: "flag",
      summary: "Adds or removes flags of messages",
      input: FlagInput,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, { folder, uids, add = [], remove = [] }) =>
        repeatably(connection, () =>
          withFolder(connection, { folder, readOnly: false }, async (client) => {
            const range = uids.join(",");
            if (add.length > 0) await client.messageFlagsAdd(range, add, { uid: true });
            if (remove.length > 0) await client.messageFlagsRemove(range, remove, { uid: true });
            return { flagged: uids.length };
          }),
        ),
    }),
    action<ImapConfig, typeof DeleteInput>({
      name: "delete",
      summary: "Deletes messages permanently",
      input: DeleteInput,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, { folder, uids }) =>
        repeatably(connection, () =>
          withFolder(connection, { folder, readOnly: false }, async (client) => {
            await client.messageDelete(uids.join(","), { uid: true });
            return { deleted: uids.length };
          }),
        ),
    }),
    action<ImapConfig, typeof AppendInput>({
      name: "append",
      summary: "Adds a message to a folder. Returns its `uid` if the server sends it",
      input: AppendInput,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, { folder, message, flags = [] }) =>
        withRetries({ ...connection, idempotent: false }, () =>
          withServer(connection, async (client) => {
            const added = await client.append(folder, message, flags);
            if (!added) throw new UpstreamError(`The message could not be added to ${folder}.`);
            return { uid: added.uid ?? null };
          }),
        ),
    }),
  ],
  check: (platform, { host }) => hostErrors(platform, "/config/host", host),
  async test(connection) {
    await withServer(connection, (client) => client.noop());
    return {};
  },
});

function repeatably<T>(connection: ImapConnection, work: () => Promise<T>): Promise<T> {
  return withRetries({ ...connection, idempotent: true }, work);
}

async function listFolders(connection: ImapConnection): Promise<object> {
  const folders = await withServer(connection, (client) => client.list());
  return { folders: folders.map(({ path, specialUse }) => ({ path, use: specialUse ?? null })) };
}

async function search(
  connection: ImapConnection,
  { folder, limit, afterUid, ...criteria }: Static<typeof SearchInput>,
): Promise<object> {
  const query: SearchObject = {
    ...criteria,
    ...(afterUid !== undefined && { uid: `${afterUid + 1}:*` }),
    ...(Object.keys(criteria).length === 0 && afterUid === undefined && { all: true }),
  };
  return withFolder(connection, { folder, readOnly: true }, async (client) => {
    const found = await client.search(query, { uid: true });
    const all = Array.isArray(found) ? found : [];
    // `7:*` includes the last message even if its UID is not above 7.
    const fitting = all.filter((uid) => afterUid === undefined || uid > afterUid);
    const uids = fitting.toSorted((one, other) => other - one).slice(0, limit);
    const fields = { uid: true, envelope: true, flags: true, size: true };
    const range = uids.join(",");
    const messages = uids.length > 0 ? await client.fetchAll(range, fields, { uid: true }) : [];
    return {
      messages: messages.map(toSummary).toSorted((one, other) => other.uid - one.uid),
      total: fitting.length,
    };
  });
}

async function fetchMessage(
  connection: ImapConnection,
  { folder, uid }: Static<typeof FetchInput>,
): Promise<object> {
  return withFolder(connection, { folder, readOnly: true }, async (client) => {
    const fields = { uid: true, envelope: true, flags: true, size: true, bodyStructure: true };
    const message = await client.fetchOne(String(uid), fields, { uid: true });
    if (!message) throw new UpstreamError(`The message ${uid} does not exist in ${folder}.`);
    const parts = listParts(message.bodyStructure);
    return {
      ...toSummary(message),
      text: await readText(client, uid, parts, "text/plain"),
      html: await readText(client, uid, parts, "text/html"),
      attachments: parts
        .filter(({ isAttached }) => isAttached)
        .map(({ isAttached: _, ...part }) => part),
    };
  });
}

async function fetchPart(
  connection: ImapConnection,
  { folder, uid, part }: Static<typeof AttachmentInput>,
): Promise<object> {
  return withFolder(connection, { folder, readOnly: true }, async (client) => {
    const { content, meta } = await client.download(String(uid), part, { uid: true });
    if (!content)
      throw new UpstreamError(`The message ${uid} in ${folder} does not have the part ${part}.`);
    const name = meta.filename ?? `part-${part}`;
    return { file: await connection.files.keep(content as AsyncIterable<Uint8Array>, { name }) };
  });
}
