/** Services that publish, and what is said there. */
import { toCode } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import { toList, toObject, toText } from "../n8n-workflow.ts";
import { type ParameterReader, request, type ServiceTable } from "./service-table.ts";

const WORDPRESS_TAKES =
  "additionalFields.postTemplate additionalFields.commentStatus additionalFields.pingStatus additionalFields.format additionalFields.sticky";

/** Parameters of a request to Facebook that stand in a list. */
const facebookQuery = (read: ParameterReader): string => {
  const fields = toList(toObject(read.raw("options.fields"))["field"]).map(
    (one) => `n8n.text(${toCode(toObject(one)["name"] ?? "")})`,
  );
  const pairs = toList(toObject(read.raw("options.queryParameters"))["parameter"]).map((one) => {
    const { name = "", value = "" } = toObject(one);
    return `[${toCode(name)}]: n8n.text(${toCode(value)})`;
  });
  const json = read.code("options.queryParametersJson");
  return `{ ${[
    ...(fields.length === 0 ? [] : [`fields: [${fields.join(", ")}].join(",")`]),
    ...pairs,
    ...(json === undefined ? [] : [`...n8n.json(${json})`]),
  ].join(", ")} }`;
};

const messagesCode = (read: ParameterReader): string => {
  const list = toList(toObject(read.raw("messages"))["message"]).map(toObject);
  return `[${list.map(({ role = "user", content = "" }) => `{ role: ${toCode(role)}, content: n8n.text(${toCode(content)}) }`).join(", ")}]`;
};

const wordpressFields = (group: string): Readonly<Record<string, string>> => ({
  ...(group === "updateFields" && { title: "updateFields.title" }),
  content: `${group}.content`,
  status: `${group}.status`,
  slug: `${group}.slug`,
  excerpt: `${group}.excerpt`,
  categories: `${group}.categories|list`,
  tags: `${group}.tags|list`,
});

export const publishing: ServiceTable = {
  wordpress: {
    preset: "wordpress",
    title: "WordPress",
    usual: "post.create page.create user.create",
    takes: WORDPRESS_TAKES,
    actions: [
      {
        on: "post.create",
        action: "create_post",
        input: { title: "title", ...wordpressFields("additionalFields") },
        takes: "additionalFields.authorId",
      },
      {
        on: "post.update",
        action: "update_post",
        input: { id: "postId", ...wordpressFields("updateFields") },
      },
      { on: "post.get", action: "get_post", input: { id: "postId" }, takes: "options.context" },
      {
        on: "post.getAll",
        action: "list_posts",
        input: {
          search: "options.search",
          status: "options.status",
          after: "options.after",
          orderby: "options.orderBy",
        },
        isList: true,
        takes: "options.context options.order options.before",
      },
      {
        on: "page.create",
        action: "create_page",
        input: {
          title: "title",
          content: "additionalFields.content",
          status: "additionalFields.status",
          slug: "additionalFields.slug",
        },
      },
      {
        on: "post.delete",
        action: "delete_post",
        input: { id: "postId", force: "options.force|bool" },
      },
    ],
  },
  twitter: {
    preset: "twitter",
    title: "X",
    usual: "tweet.create user.searchUser directMessage.create",
    actions: [
      {
        on: "tweet.create",
        action: "create_post",
        input: {
          text: "text",
          reply: (read) => {
            if (read.raw("additionalFields.attachments") !== undefined)
              throw new NotConvertible("posts files");
            const to = read.raw("additionalFields.inReplyToStatusId");
            return to === undefined
              ? undefined
              : `{ in_reply_to_tweet_id: (/status\\/(\\d+)/.exec(${read.text("additionalFields.inReplyToStatusId")})?.[1] ?? ${read.text("additionalFields.inReplyToStatusId")}) }`;
          },
        },
        items: "=[one.body.data]",
      },
      {
        on: "tweet.search",
        action: "search_posts",
        input: { query: "searchText" },
        isList: true,
        takes: "additionalFields.resultType additionalFields.tweetMode additionalFields.sortOrder",
      },
      { on: "tweet.delete", action: "delete_post", input: { id: "tweetDeleteId|id" } },
      {
        on: "user.searchUser",
        action: "get_user_by_name",
        input: { username: "user" },
        items: "=[one.body.data]",
      },
    ],
  },
  linkedIn: {
    preset: "linkedin",
    title: "LinkedIn",
    usual: "post.create",
    actions: [
      {
        on: "post.create",
        action: "request",
        input: request("POST /rest/posts", {
          body: (read) => {
            const media = toText(read.raw("shareMediaCategory"), "NONE");
            if (media === "IMAGE") throw new NotConvertible("posts a picture");
            const author =
              read.raw("postAs") === "organization"
                ? `"urn:li:organization:" + ${read.text("organization")}`
                : `"urn:li:person:" + ${read.text("person")}`;
            const url = read.code("additionalFields.originalUrl");
            const article =
              media === "ARTICLE" && url !== undefined
                ? `, content: { article: { source: n8n.text(${url}), title: ${read.text("additionalFields.title")}, description: ${read.text("additionalFields.description")} } }`
                : "";
            const visibility = read.source("additionalFields.visibility") ?? '"PUBLIC"';
            return `{ author: ${author}, commentary: ${read.text("text")}, visibility: ${visibility}, distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] }, lifecycleState: "PUBLISHED", isReshareDisabledByAuthor: false${article} }`;
          },
        }),
        items: '=[{ urn: one.headers["x-restli-id"] }]',
        takes: "additionalFields.title binaryPropertyName",
      },
    ],
  },
  facebookGraphApi: {
    preset: "facebook_graph",
    title: "Facebook and Instagram",
    usual: "any.call",
    takes: "graphApiVersion hostUrl allowUnauthorizedCerts",
    actions: [
      {
        on: "any.call",
        action: "request",
        input: {
          method: (read) => {
            return read.code("httpRequestMethod") ?? '"GET"';
          },
          path: (read) => {
            const edge = read.code("edge");
            return `"/" + ${read.text("node")}${edge === undefined ? "" : ` + "/" + n8n.text(${edge})`}`;
          },
          query: facebookQuery,
          headers: (read) =>
            read.raw("sendBinaryData") === true
              ? '{ "content-type": "multipart/form-data" }'
              : undefined,
          body: (read) => {
            if (read.raw("sendBinaryData") !== true) return undefined;
            // The name of a field may stand before that of the file.
            const [name = "data", field = name] = toText(read.raw("binaryPropertyName"), "data")
              .split(":")
              .toReversed();
            return `{ [${JSON.stringify(field)}]: n8n.file($item, ${toCode(name)}) }`;
          },
        },
        takes: "sendBinaryData",
      },
    ],
  },
  reddit: {
    preset: "reddit",
    title: "Reddit",
    usual: "post.create postComment.create profile.get subreddit.get user.get",
    actions: [
      {
        on: "post.search",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) =>
            read.raw("location") === "allReddit"
              ? '"/search"'
              : `"/r/" + encodeURIComponent(${read.text("subreddit")}) + "/search"`,
          query: (read) =>
            `{ q: ${read.text("keyword")}, sort: ${read.source("additionalFields.sort") ?? '"relevance"'}, restrict_sr: ${read.raw("location") !== "allReddit"}, limit: 100 }`,
        },
        items: "=one.body.data.children.map(({ data }) => data)",
        isList: true,
      },
      {
        on: "post.getAll",
        action: "list_posts",
        input: {
          subreddit: "subreddit",
          sort: (read) => read.source("filters.category") ?? '"hot"',
        },
        items: "=one.items.map(({ data }) => data)",
        isList: true,
      },
      {
        on: "post.get",
        action: "get_post",
        input: { id: "postId" },
        items: "=[one.body[0].data.children[0].data]",
        takes: "subreddit",
      },
      {
        on: "postComment.getAll",
        action: "list_comments",
        input: { id: "postId" },
        items: "=one.body[1].data.children.map(({ data }) => data)",
        isList: true,
        takes: "subreddit",
      },
      {
        on: "post.create",
        action: "create_post",
        input: {
          sr: "subreddit",
          title: "title",
          kind: (read) => read.source("kind") ?? '"self"',
          text: "text",
          url: "url",
        },
        items: "=[one.body.json?.data ?? one.body]",
        takes: "resubmit",
      },
      {
        on: "postComment.create",
        action: "create_comment",
        input: { thing_id: (read) => `"t3_" + ${read.text("postId")}`, text: "commentText" },
      },
    ],
  },
  perplexity: {
    preset: "perplexity",
    title: "Perplexity",
    usual: "chat.complete",
    actions: [
      {
        on: "chat.complete",
        action: "complete_chat",
        input: {
          model: (read) => read.source("model") ?? '"sonar"',
          messages: messagesCode,
          temperature: "options.temperature|number",
          max_tokens: "options.maxTokens|number",
        },
        items: (read) =>
          read.raw("simplify") === true
            ? "[{ message: one.body.choices[0].message.content, citations: one.body.citations }]"
            : "[one.body]",
        takes: "options.searchRecency options.topP",
      },
    ],
  },
};
