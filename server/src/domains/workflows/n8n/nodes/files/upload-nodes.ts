/** Nodes that upload files of an item to a service in several calls. Each call is a separate step. */
import type { Node } from "../../../definition/index.ts";
import { toCode } from "../../code-text.ts";
import {
  type Convert,
  type ConvertedNode,
  eachScript,
  findApproximations,
  type NodeContext,
  scriptStep,
} from "../../conversion.ts";
import { toObject, toText } from "../../n8n-workflow.ts";
import { serviceNode } from "../service-node.ts";

/** One of several calls. */
interface Call {
  readonly type: "connector" | "http";
  readonly config: NonNullable<Node["config"]>;
  /** Code of the step's `item`; it can use `asked`, and `answers`, the responses of earlier calls. */
  readonly input: string;
}

/** Steps for consecutive calls per item. */
function callChain(
  ctx: NodeContext,
  {
    args,
    calls,
    items,
  }: { readonly args: string; readonly calls: readonly Call[]; readonly items: string },
): ConvertedNode {
  const { id, node } = ctx;
  const name = node.name.slice(0, 200);
  const gather = (count: number, code: string): string =>
    `return input.steps.${id}_args.output.flatMap((asked, at) => {
  const answers = [${Array.from({ length: count }, (_, at) => `input.steps.${id}_done${at}.output[at]`).join(", ")}];
  return ${code};
});`;
  const steps = calls.flatMap(({ type, config, input }, at): Node[] => [
    scriptStep(ctx, `${id}_asked${at}`, gather(at, `[${input}]`)),
    {
      id: `${id}_done${at}`,
      type,
      name,
      config,
      forEach: { items: `{{ steps.${id}_asked${at}.output }}` },
    },
  ]);
  return {
    steps: [
      eachScript(ctx, `${id}_args`, args, node.parameters),
      ...steps,
      scriptStep(ctx, id, gather(calls.length, items)),
    ],
    approximations: [
      ...findApproximations(ctx, node.parameters),
      ...(node.onError === "stopWorkflow" ? [] : ["an error stops the workflow"]),
    ],
  };
}

const connectorCall = (connectorId: string, input: string): Call => ({
  type: "connector",
  config: { connectorId, action: "request", input: "{{ item }}" },
  input,
});

/** A file for Slack: request an upload URL, upload the bytes, then share the file. */
const slackFile: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { resource, operation = resource === "file" ? "upload" : "post" } = parameters;
  if (resource !== "file" || operation !== "upload") return serviceNode(ctx);
  const options = toObject(parameters["options"]);
  const { channelId, channelIds } = options;
  const { value: chosen, __rl } = toObject(channelId);
  const channel = __rl === true ? chosen : (channelId ?? channelIds);
  const field = (name: string, value: unknown): string[] =>
    value === undefined || value === "" ? [] : [`${name}: n8n.text(${toCode(value)})`];
  const about = [
    ...(channel === undefined ? [] : [`channel_id: n8n.list(${toCode(channel)})[0]`]),
    ...field("initial_comment", options["initialComment"]),
    ...field("thread_ts", options["threadTs"]),
  ];
  const file = `n8n.file($item, ${toCode(parameters["binaryPropertyName"] ?? "data")})`;
  const title = options["title"] ?? options["fileName"];
  const connectorId = ctx.bind("connector", "slack", "Slack (a service of the catalogue)");
  return callChain(ctx, {
    args: `((file) => ({ file, name: ${options["fileName"] === undefined ? "file.name" : `n8n.text(${toCode(options["fileName"])})`}, title: ${title === undefined ? "file.name" : `n8n.text(${toCode(title)})`}, share: { ${about.join(", ")} } }))(${file})`,
    calls: [
      connectorCall(
        connectorId,
        '{ method: "GET", path: "/files.getUploadURLExternal", query: { filename: asked.name, length: asked.file.size } }',
      ),
      {
        type: "http",
        config: { method: "POST", url: "{{ item.url }}", body: "{{ item.file }}" },
        input: "{ url: answers[0].body.upload_url, file: asked.file }",
      },
      connectorCall(
        connectorId,
        '{ method: "POST", path: "/files.completeUploadExternal", body: { files: [{ id: answers[0].body.file_id, title: asked.title }], ...asked.share } }',
      ),
    ],
    items: "answers[2].body.files ?? [answers[2].body]",
  });
};

/** A post with an image: LinkedIn accepts images at another address, with the same token. */
const linkedIn: Convert = (ctx) => {
  const { parameters } = ctx.node;
  if (toText(parameters["shareMediaCategory"], "NONE") !== "IMAGE") return serviceNode(ctx);
  const { additionalFields, text = "", binaryPropertyName = "data", postAs } = parameters;
  const { title, visibility = "PUBLIC" } = toObject(additionalFields);
  const owner =
    postAs === "organization"
      ? `"urn:li:organization:" + n8n.text(${toCode(parameters["organization"] ?? "")})`
      : `"urn:li:person:" + n8n.text(${toCode(parameters["person"] ?? "")})`;
  const api = ctx.bind("connector", "linkedin", "LinkedIn (a service of the catalogue)");
  const uploads = ctx.bind(
    "connector",
    "linkedin_uploads",
    "LinkedIn's uploads (type HTTP, base URL https://www.linkedin.com, the same token)",
  );
  const version = '"LinkedIn-Version": "202506"';
  return callChain(ctx, {
    args: `{ owner: ${owner}, file: n8n.file($item, ${toCode(binaryPropertyName)}), text: n8n.text(${toCode(text)}), title: n8n.text(${toCode(title ?? "")}), visibility: n8n.text(${toCode(visibility)}) }`,
    calls: [
      connectorCall(
        api,
        `{ method: "POST", path: "/rest/images", query: { action: "initializeUpload" }, headers: { ${version} }, body: { initializeUploadRequest: { owner: asked.owner } } }`,
      ),
      connectorCall(
        uploads,
        '{ method: "PUT", url: answers[0].body.value.uploadUrl, body: asked.file }',
      ),
      connectorCall(
        api,
        `{ method: "POST", path: "/rest/posts", headers: { ${version} }, body: { author: asked.owner, commentary: asked.text, visibility: asked.visibility, distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] }, content: { media: { ...(asked.title && { title: asked.title }), id: answers[0].body.value.image } }, lifecycleState: "PUBLISHED", isReshareDisabledByAuthor: false } }`,
      ),
    ],
    items: '[{ urn: answers[2].headers["x-restli-id"] }]',
  });
};

/** A video: its metadata is sent first, then the bytes to the URL in the response of YouTube. */
const youTube: Convert = (ctx) => {
  const { parameters } = ctx.node;
  if (parameters["resource"] !== "video" || parameters["operation"] !== "upload")
    return serviceNode(ctx);
  const { title = "", categoryId, binaryProperty = "data" } = parameters;
  const options = toObject(parameters["options"]);
  const part = (name: string, value: unknown): string[] =>
    value === undefined || value === "" ? [] : [`${name}: ${toCode(value)}`];
  const snippet = [
    `title: n8n.text(${toCode(title)})`,
    ...part("categoryId", categoryId),
    ...part("description", options["description"]),
    ...part("defaultLanguage", options["defaultLanguage"]),
    ...(options["tags"] === undefined ? [] : [`tags: n8n.list(${toCode(options["tags"])})`]),
  ];
  const status = [
    ...part("privacyStatus", options["privacyStatus"]),
    ...part("license", options["license"]),
    ...part("embeddable", options["embeddable"]),
    ...part("publicStatsViewable", options["publicStatsViewable"]),
    ...part("selfDeclaredMadeForKids", options["selfDeclaredMadeForKids"]),
    ...(options["publishAt"] === undefined
      ? []
      : [`publishAt: n8n.dateTime(${toCode(options["publishAt"])})`]),
  ];
  const uploads = ctx.bind(
    "connector",
    "youtube_uploads",
    "YouTube's uploads (type HTTP, base URL https://www.googleapis.com/upload/youtube/v3, with the same consent)",
  );
  return callChain(ctx, {
    args: `((file) => ({ file, about: { snippet: { ${snippet.join(", ")} }, status: { ${status.join(", ")} } } }))(n8n.file($item, ${toCode(binaryProperty)}))`,
    calls: [
      connectorCall(
        uploads,
        '{ method: "POST", path: "/videos", query: { part: "snippet,status", uploadType: "resumable" }, headers: { "x-upload-content-type": asked.file.mediaType, "x-upload-content-length": String(asked.file.size) }, body: asked.about }',
      ),
      connectorCall(
        uploads,
        '{ method: "PUT", url: answers[0].headers.location, body: asked.file }',
      ),
    ],
    items: "[{ uploadId: answers[1].body.id, ...answers[1].body }]",
  });
};

export const uploadNodes = { youTube, slack: slackFile, linkedIn };
