/** Services that answer questions or reach people: weather, translation, addresses, news, music, mailing lists. */
import { type Json, toList, toObject, toText } from "../n8n-workflow.ts";
import { toCode } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import type { FieldSource, ParameterReader, ServiceTable } from "./service-table.ts";

const weather: Readonly<Record<string, FieldSource>> = {
  q: (read) => place(read, "cityName", "cityName"),
  id: (read) => place(read, "cityId", "cityId"),
  lat: (read) => place(read, "coordinates", "latitude"),
  lon: (read) => place(read, "coordinates", "longitude"),
  zip: (read) => place(read, "zipCode", "zipCode"),
  units: (read) => `n8n.text(${read.code("format") ?? '"metric"'})`,
  lang: "language",
};

/** A field of the way in which the node names a place. */
function place(read: ParameterReader, way: string, field: string): string | undefined {
  const code = read.code(field);
  return toText(read.raw("locationSelection"), "cityName") === way && code !== undefined
    ? `n8n.text(${code})`
    : undefined;
}

const SPOTIFY_ID = (path: string) => (read: ParameterReader) =>
  `${read.text(path)}.split(":").at(-1)`;

/** Fields of a member as an object: pairs of names and values, or JSON. */
const mergeFields =
  (group: string) =>
  (read: ParameterReader): string | undefined => {
    const pairs = toList(
      toObject(read.raw(group === "" ? "mergeFieldsUi" : `${group}.mergeFieldsUi`))[
        "mergeFieldsValues"
      ],
    ).map(toObject);
    const json = read.code(group === "" ? "mergeFieldsJson" : `${group}.mergeFieldsJson`);
    if (pairs.length > 0)
      return `{ ${pairs.map(({ name = "", value = "" }) => `[${toCode(name)}]: ${toCode(value)}`).join(", ")} }`;
    return json === undefined ? undefined : `n8n.json(${json})`;
  };

const subscriber = (read: ParameterReader): string => `${read.text("email")}.toLowerCase()`;

/** A mail of SendGrid. */
const mailContent = (read: ParameterReader): string | undefined => {
  if (read.raw("dynamicTemplate") === true) return undefined;
  return `[{ type: ${read.text("contentType")} || "text/plain", value: ${read.text("contentValue")} }]`;
};
const addresses = (code: string): string => `n8n.list(${code}).map((email) => ({ email }))`;
const personalizations = (read: ParameterReader): string => {
  const cc = read.code("additionalFields.ccEmail");
  const bcc = read.code("additionalFields.bccEmail");
  if (read.raw("additionalFields.attachments") !== undefined)
    throw new NotConvertible("sends attachments");
  const fields: Json = toObject(read.raw("dynamicTemplateFields"))["fields"];
  const data = toList(fields).map((one) => {
    const { key = "", value = "" } = toObject(one);
    return `[${toCode(key)}]: ${toCode(value)}`;
  });
  const parts = [
    `to: ${addresses(read.code("toEmail") ?? '""')}`,
    ...(cc === undefined ? [] : [`cc: ${addresses(cc)}`]),
    ...(bcc === undefined ? [] : [`bcc: ${addresses(bcc)}`]),
    ...(data.length === 0 ? [] : [`dynamic_template_data: { ${data.join(", ")} }`]),
  ];
  return `[{ ${parts.join(", ")} }]`;
};

export const lookupServices: ServiceTable = {
  openWeatherMap: {
    preset: "openweathermap",
    title: "OpenWeatherMap",
    usual: "any.currentWeather",
    takes: "locationSelection cityName cityId latitude longitude zipCode",
    actions: [
      { on: "currentWeather", action: "current_weather", input: weather },
      { on: "5DayForecast", action: "forecast", input: weather },
    ],
  },
  deepL: {
    preset: "deepl",
    title: "DeepL",
    usual: "language.translate",
    actions: [
      {
        on: "language.translate",
        action: "translate",
        input: {
          text: (read) => `[${read.text("text")}]`,
          target_lang: "translateTo",
          source_lang: "additionalFields.sourceLang",
          split_sentences: "additionalFields.splitSentences",
          preserve_formatting: "additionalFields.preserveFormatting|bool",
          formality: "additionalFields.formality",
          tag_handling: "additionalFields.tagHandling",
          glossary_id: "additionalFields.glossaryId",
        },
        items: "=one.body.translations",
      },
    ],
  },
  hunter: {
    preset: "hunter",
    title: "Hunter",
    usual: "any.domainSearch",
    actions: [
      {
        on: "domainSearch",
        action: "search_domain",
        input: {
          domain: "domain",
          type: "filters.type",
          seniority: "filters.seniority|any",
          department: "filters.department|any",
        },
        items: (read) => (read.raw("onlyEmails") === false ? "[one.body.data]" : "one.items"),
        takes: "onlyEmails limit returnAll",
      },
      {
        on: "emailFinder",
        action: "find_email",
        input: { domain: "domain", first_name: "firstname", last_name: "lastname" },
        items: "=[one.body.data]",
      },
      {
        on: "emailVerifier",
        action: "verify_email",
        input: { email: "email" },
        items: "=[one.body.data]",
      },
    ],
  },
  hackerNews: {
    preset: "hackernews",
    title: "Hacker News",
    usual: "article.get all.getAll user.get",
    actions: [
      {
        on: "all.getAll",
        action: "search",
        input: {
          query: "additionalFields.keyword",
          tags: (read) => {
            const tags = read.code("additionalFields.tags");
            return tags === undefined ? undefined : `n8n.list(${tags}).join(",")`;
          },
          hitsPerPage: (read) => `${Math.min(Number(read.raw("limit") ?? 100), 1_000)}`,
        },
        items: (read) =>
          read.raw("returnAll") === true
            ? "one.items"
            : `one.items.slice(0, ${Number(read.raw("limit") ?? 100)})`,
        takes: "limit returnAll",
      },
      {
        on: "article.get",
        action: "get_item",
        input: { id: "articleId" },
        items: (read) =>
          read.raw("additionalFields.includeComments") === true
            ? "[one.body]"
            : "[(({ children, ...story }) => story)(one.body)]",
      },
      { on: "user.get", action: "get_user", input: { username: "username" } },
    ],
  },
  spotify: {
    preset: "spotify",
    title: "Spotify",
    usual: "player.addSongToQueue playlist.add track.get library.getLikedTracks",
    actions: [
      {
        on: "track.search",
        action: "search",
        input: {
          q: "query",
          type: '="track"',
          limit: (read) => `${Math.min(Number(read.raw("limit") ?? 50), 50)}`,
          market: "filters.market",
        },
        items: "=one.body.tracks.items",
        takes: "limit returnAll",
        notes: ["at most 50 tracks are found"],
      },
      { on: "track.get", action: "get_track", input: { id: SPOTIFY_ID("id") } },
      { on: "playlist.getUserPlaylists", action: "list_playlists", isList: true },
      {
        on: "playlist.getTracks",
        action: "list_playlist_tracks",
        input: { id: SPOTIFY_ID("id") },
        isList: true,
      },
      {
        on: "playlist.add",
        action: "add_tracks",
        input: {
          id: SPOTIFY_ID("id"),
          uris: (read) => `[${read.text("trackID")}]`,
          position: "additionalFields.position|number",
        },
      },
      {
        on: "playlist.create",
        action: "create_playlist",
        input: {
          name: "name",
          public: "additionalFields.public|bool",
          description: "additionalFields.description",
        },
      },
      { on: "library.getLikedTracks", action: "list_liked_tracks", isList: true },
    ],
  },
  mailchimp: {
    preset: "mailchimp",
    title: "Mailchimp",
    usual: "member.create memberTag.create",
    takes: "jsonParameters",
    actions: [
      {
        on: "member.create",
        action: "add_member",
        input: {
          listId: "list",
          email_address: "email",
          status: "status",
          merge_fields: mergeFields(""),
          tags: "options.tags|list",
          language: "options.language",
          vip: "options.vip|bool",
          email_type: "options.emailType",
        },
        takes: "mergeFieldsUi mergeFieldsJson",
        sample: { list: "l", email: "e", status: "subscribed" },
      },
      {
        on: "member.get",
        action: "get_member",
        input: { listId: "list", subscriber },
      },
      {
        on: "member.update",
        action: "update_member",
        input: {
          listId: "list",
          subscriber,
          status: "updateFields.status",
          merge_fields: mergeFields("updateFields"),
          language: "updateFields.language",
          vip: "updateFields.vip|bool",
          email_type: "updateFields.emailType",
        },
        sample: { list: "l", email: "e" },
      },
      {
        on: "member.delete",
        action: "delete_member",
        input: { listId: "list", subscriber },
        items: "=[{ success: true }]",
      },
      {
        on: "member.getAll",
        action: "list_members",
        input: {
          listId: "list",
          status: "options.status",
          since_last_changed: "options.sinceLastChanged",
          email_type: "options.emailType",
        },
        isList: true,
      },
      {
        on: "memberTag.create",
        action: "change_tags",
        input: {
          listId: "list",
          subscriber,
          tags: (read) =>
            `n8n.list(${read.code("tags") ?? '""'}).map((name) => ({ name, status: "active" }))`,
        },
        items: "=[{ success: true }]",
      },
      {
        on: "memberTag.delete",
        action: "change_tags",
        input: {
          listId: "list",
          subscriber,
          tags: (read) =>
            `n8n.list(${read.code("tags") ?? '""'}).map((name) => ({ name, status: "inactive" }))`,
        },
        items: "=[{ success: true }]",
      },
    ],
  },
  sendGrid: {
    preset: "sendgrid",
    title: "SendGrid",
    usual: "list.create mail.send contact.upsert",
    actions: [
      {
        on: "mail.send",
        action: "send_mail",
        input: {
          personalizations,
          from: (read) =>
            `{ email: ${read.text("fromEmail")}, name: ${read.text("fromName")} || undefined }`,
          subject: "subject",
          content: mailContent,
          template_id: (read) =>
            read.raw("dynamicTemplate") === true ? read.text("templateId") : undefined,
          categories: "additionalFields.categories|list",
        },
        items: "=[{ success: true }]",
        takes: "dynamicTemplate dynamicTemplateFields contentType templateId",
        sample: { fromEmail: "a", fromName: "b", toEmail: "c", subject: "s", contentValue: "v" },
      },
      {
        on: "contact.upsert",
        action: "upsert_contacts",
        input: {
          contacts: (read) =>
            `[{ email: ${read.text("email")}, first_name: ${read.text("additionalFields.firstName")} || undefined, last_name: ${read.text("additionalFields.lastName")} || undefined }]`,
          list_ids: (read) => {
            const ids = toObject(toObject(read.raw("additionalFields.listIdsUi"))["listIdValues"])[
              "listIds"
            ];
            return ids === undefined ? undefined : `n8n.list(${toCode(ids)})`;
          },
        },
      },
    ],
  },
};
