/** Services that carry messages: Slack, Discord, WhatsApp, Twilio. */
import { toCode } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import { toList, toObject, toText } from "../n8n-workflow.ts";
import {
  objectCode,
  ParameterReader,
  request,
  type ServiceAction,
  type ServiceTable,
} from "./service-table.ts";

const slackChannel = (read: ParameterReader): string =>
  read.text(
    read.raw("select") === "user" || (read.raw("channelId") ?? read.raw("channel")) === undefined
      ? "user"
      : read.raw("channelId") === undefined
        ? "channel"
        : "channelId",
  );

const slackBlocks = (read: ParameterReader): string | undefined => {
  const blocks = read.code("blocksUi");
  const isBlock = read.raw("messageType") === "block";
  if (read.raw("messageType") === "attachment") throw new NotConvertible("sends attachments");
  return isBlock && blocks !== undefined
    ? `((made) => Array.isArray(made) ? made : made.blocks)(n8n.json(${blocks}))`
    : undefined;
};

const slackThread = (read: ParameterReader): string | undefined => {
  const { replyValues } = toObject(read.raw("otherOptions.thread_ts"));
  const { thread_ts } = toObject(replyValues);
  return thread_ts === undefined ? undefined : `n8n.text(${toCode(thread_ts)})`;
};

const digits = (path: string) => (read: ParameterReader) =>
  `${read.text(path)}.replaceAll(/[^0-9]/g, "")`;

const whatsapp = (read: ParameterReader): string =>
  read.raw("toWhatsapp") === true ? '"whatsapp:" + ' : "";

/** The account is part of every path, and n8n knows it from the credential. */
const twilioAccount: NonNullable<ServiceAction["via"]> = {
  action: "request",
  input: request("GET /Accounts.json"),
  inputs:
    "[{ accountSid: (one.body.accounts.find(({ sid, owner_account_sid }) => sid === owner_account_sid) ?? one.body.accounts[0]).sid, ...asked }]",
};

const embeds = (read: ParameterReader): string | undefined => {
  const values = toList(toObject(read.raw("embeds"))["values"]).map(toObject);
  if (values.length === 0) return undefined;
  const codes = values.map(({ inputMethod, json, ...fields }) =>
    inputMethod === "json"
      ? `n8n.json(${toCode(json ?? "{}")})`
      : objectCode(new ParameterReader(fields), {
          title: "title",
          description: "description",
          url: "url",
        }),
  );
  return `[${codes.join(", ")}]`;
};

/** The values that are filled in a template of WhatsApp. */
function templateParts(read: ParameterReader): string {
  const all = toList(toObject(read.raw("components"))["component"]).map(toObject);
  const codes = all.map(({ type = "body", sub_type, index, ...groups }) => {
    const { parameter } = toObject(groups[`${toText(type)}Parameters`]);
    const values = (Array.isArray(parameter) ? parameter : [parameter ?? {}]).map((one) => {
      const { type: kind = "text", text = "", imageLink, payload } = toObject(one);
      if (kind === "image")
        return `{ type: "image", image: { link: n8n.text(${toCode(imageLink ?? "")}) } }`;
      if (kind === "payload")
        return `{ type: "payload", payload: n8n.text(${toCode(payload ?? "")}) }`;
      if (kind !== "text")
        throw new NotConvertible("fills in parts of a template by other than texts");
      return `{ type: "text", text: n8n.text(${toCode(text)}) }`;
    });
    const place =
      type === "button"
        ? `, sub_type: ${toCode(sub_type ?? "quick_reply")}, index: ${toCode(index ?? 0)}`
        : "";
    return `{ type: ${toCode(type)}${place}, parameters: [${values.join(", ")}] }`;
  });
  return all.length === 0 ? "" : `, components: [${codes.join(", ")}]`;
}

export const messengers: ServiceTable = {
  slack: {
    preset: "slack",
    title: "Slack",
    usual: "message.post channel.create user.info file.upload reaction.add",
    takes:
      "otherOptions.mrkdwn otherOptions.sendAsUser otherOptions.link_names otherOptions.includeLinkPreviews otherOptions.botProfile as_user attachments jsonParameters blocksUi",
    actions: [
      {
        on: "message.post",
        action: "request",
        input: request("POST /chat.postMessage", {
          body: {
            channel: slackChannel,
            text: "text or message",
            blocks: slackBlocks,
            thread_ts: slackThread,
            unfurl_links: "otherOptions.unfurl_links|bool",
            unfurl_media: "otherOptions.unfurl_media|bool",
            icon_emoji: "otherOptions.icon_emoji",
          },
        }),
      },
      {
        on: "message.update",
        action: "update_message",
        input: {
          channel: slackChannel,
          ts: "ts",
          text: "text or updateFields.text",
          blocks: slackBlocks,
        },
      },
      {
        on: "message.delete",
        action: "delete_message",
        input: { channel: slackChannel, ts: "timestamp" },
      },
      {
        on: "message.search",
        action: "search_messages",
        input: { query: "query" },
        isList: true,
        takes: "sort options.searchChannel",
      },
      {
        on: "channel.history",
        action: "read_channel",
        input: { channel: slackChannel, oldest: "filters.oldest", latest: "filters.latest" },
        isList: true,
      },
      {
        on: "channel.replies",
        action: "read_replies",
        input: { channel: slackChannel, ts: "ts" },
        isList: true,
      },
      {
        on: "channel.create",
        action: "create_channel",
        input: {
          name: (read) => read.text(read.raw("channelId") === undefined ? "channel" : "channelId"),
          is_private: (read) => (read.raw("channelVisibility") === "private" ? "true" : undefined),
        },
        items: "=[one.body.channel]",
      },
      { on: "channel.getAll", action: "list_channels", isList: true },
      {
        on: "channel.invite",
        action: "invite_to_channel",
        input: {
          channel: slackChannel,
          users: (read) => `n8n.list(${read.code("userIds") ?? '""'}).join(",")`,
        },
        sample: { channelId: "c", userIds: ["u"] },
      },
      {
        on: "user.info user.get",
        action: "get_user",
        input: { user: "user" },
        items: "=[one.body.user]",
      },
      {
        on: "reaction.add",
        action: "add_reaction",
        input: { channel: slackChannel, timestamp: "timestamp", name: "name" },
      },
    ],
  },
  discord: {
    preset: "discord",
    title: "Discord",
    usual: "channel.create message.send member.getAll",
    takes: "options.flags options.tts options.wait guildId sendTo webhookUri",
    actions: [
      {
        on: "message.send",
        action: "send_message",
        input: { channelId: "channelId", content: "content or text", embeds },
      },
      {
        on: "message.sendLegacy",
        action: "request",
        input: {
          method: '="POST"',
          path: '=""',
          body: (read) =>
            objectCode(read, {
              content: "content or text",
              embeds,
              username: "options.username",
              avatar_url: "options.avatar_url",
            }),
        },
        items: '=n8n.toList([one.body === "" || one.body === null ? { success: true } : one.body])',
        notes: ["choose a connector of type HTTP whose base URL is the webhook's address"],
      },
      {
        on: "message.getAll",
        action: "list_messages",
        input: { channelId: "channelId" },
        isList: true,
        takes: "options.simplify",
      },
      {
        on: "message.get",
        action: "get_message",
        input: { channelId: "channelId", messageId: "messageId" },
      },
      {
        on: "message.deleteMessage",
        action: "delete_message",
        input: { channelId: "channelId", messageId: "messageId" },
        items: "=[{ success: true }]",
      },
      {
        on: "message.react",
        action: "add_reaction",
        input: { channelId: "channelId", messageId: "messageId", emoji: "emoji" },
        items: "=[{ success: true }]",
      },
      {
        on: "channel.create",
        action: "create_channel",
        input: {
          guildId: "guildId",
          name: "name",
          type: "type|number",
          topic: "options.topic",
          parent_id: "options.categoryId",
        },
      },
      {
        on: "channel.getAll",
        action: "list_channels",
        input: { guildId: "guildId" },
        isList: true,
        takes: "options.filter",
      },
      {
        on: "member.getAll",
        action: "list_members",
        input: { guildId: "guildId" },
        isList: true,
        takes: "after options.simplify",
      },
      {
        on: "member.roleAdd",
        action: "request",
        input: request("PUT /guilds/{guildId}/members/{userId}/roles/{role}"),
        items: "=[{ success: true }]",
      },
    ],
  },
  whatsApp: {
    preset: "whatsapp",
    title: "WhatsApp Business",
    usual: "message.send media.mediaUpload",
    // A node with a template sends it, whatever its operation is called.
    rename: ({ template }) => (template === undefined ? undefined : "sendTemplate"),
    actions: [
      {
        on: "message.send",
        action: "request",
        input: request("POST /{phoneNumberId}/messages", {
          body: (read) => {
            const type = toText(read.raw("messageType"), "text");
            const to = digits("recipientPhoneNumber")(read);
            const head = `messaging_product: "whatsapp", recipient_type: "individual", to: ${to}, type: ${JSON.stringify(type)}`;
            if (type === "text")
              return `{ ${head}, text: { body: ${read.text("textBody")}, preview_url: ${read.raw("additionalFields.previewUrl") === true} } }`;
            if (!["image", "video", "audio", "document"].includes(type))
              throw new NotConvertible(`sends ${type}`);
            const path = toText(read.raw("mediaPath"), "useMediaLink");
            if (path === "useMedian8n") throw new NotConvertible("sends a file of the item");
            const source =
              path === "useMediaId"
                ? `id: ${read.text("mediaId")}`
                : `link: ${read.text("mediaLink")}`;
            const caption = read.code("additionalFields.mediaCaption");
            const filename = read.code("additionalFields.mediaFilename");
            return `{ ${head}, ${type}: { ${[source, ...(caption === undefined ? [] : [`caption: ${caption}`]), ...(filename === undefined ? [] : [`filename: ${filename}`])].join(", ")} } }`;
          },
        }),
      },
      {
        on: "message.sendTemplate",
        action: "request",
        input: request("POST /{phoneNumberId}/messages", {
          body: (read) => {
            return `((parts) => ({ messaging_product: "whatsapp", to: ${digits("recipientPhoneNumber")(read)}, type: "template", template: { name: parts[0], language: { code: parts[1] ?? "en_US" }${templateParts(read)} } }))(${read.text("template")}.split("|"))`;
          },
        }),
        takes: "components",
      },
      { on: "media.mediaUrlGet", action: "get_media", input: { mediaId: "mediaGetId" } },
      { on: "media.mediaDelete", action: "delete_media", input: { mediaId: "mediaDeleteId" } },
    ],
  },
  twilio: {
    preset: "twilio",
    title: "Twilio",
    usual: "sms.send call.make",
    actions: [
      {
        on: "sms.send",
        action: "send_sms",
        via: twilioAccount,
        input: {
          To: (read) => `${whatsapp(read)}${read.text("to")}`,
          From: (read) => `${whatsapp(read)}${read.text("from")}`,
          Body: "message",
        },
        takes: "options.statusCallback toWhatsapp",
      },
      {
        on: "call.make",
        action: "make_call",
        via: twilioAccount,
        input: {
          To: "to",
          From: "from",
          Twiml: (read) =>
            read.raw("twiml") === true
              ? read.text("message")
              : `"<Response><Say>" + ${read.text("message")}.replaceAll("&", "&amp;").replaceAll("<", "&lt;") + "</Say></Response>"`,
        },
      },
    ],
  },
};
