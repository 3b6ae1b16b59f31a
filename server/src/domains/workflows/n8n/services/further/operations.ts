/** More operations of services that are described elsewhere. */
import { toCode } from "../../code-text.ts";
import { toObject } from "../../n8n-workflow.ts";
import {
  fields,
  members,
  type ParameterReader,
  request,
  type ServiceAction,
  together,
} from "../service-table.ts";
import { salesforce } from "./salesforce.ts";

const wooProduct = (group: string) =>
  together(
    fields({ name: "name" }),
    members(group, {
      regularPrice: "regular_price",
      salePrice: "sale_price",
      shortDescription: "short_description",
      stockQuantity: "stock_quantity",
      manageStock: "manage_stock",
      catalogVisibility: "catalog_visibility",
    }),
  );

const spotifyPlayer = (
  method: string,
  path: string,
  more: object = {},
): NonNullable<ServiceAction["input"]> => ({
  method: `=${JSON.stringify(method)}`,
  path: `=${JSON.stringify(`/me/player${path}`)}`,
  ...more,
});

/** The lines, by the types of nodes. */
export const MORE_OPERATIONS: Readonly<Record<string, readonly ServiceAction[]>> = {
  salesforce,
  hubspot: [
    {
      on: "engagement.create",
      action: "request",
      input: request("POST /engagements/v1/engagements", {
        body: (read) => {
          const about = toObject(read.raw("additionalFields.associations"));
          const ids = Object.entries(about).map(
            ([name, value]) => `${JSON.stringify(name)}: n8n.list(${toCode(value)}).map(Number)`,
          );
          return `{ engagement: { type: ${read.text("type")}.toUpperCase() }, metadata: ${members("metadata")(read)}, associations: { ${ids.join(", ")} } }`;
        },
      }),
      takes: "metadata additionalFields",
      sample: { type: "task" },
    },
    {
      on: "contact.getRecentlyCreatedUpdated",
      action: "request",
      input: request("GET /contacts/v1/lists/recently_updated/contacts/recent", {
        query: { count: "=100" },
      }),
      items: "=one.body.contacts",
      isList: true,
      takes: "filters additionalFields",
      notes: ["of a list, the first page is read"],
    },
    {
      on: "company.getAll",
      action: "request",
      input: request("GET /companies/v2/companies/paged", { query: { limit: "=100" } }),
      items: "=one.body.companies",
      isList: true,
      takes: "options",
      notes: ["of a list, the first page is read"],
    },
    {
      on: "deal.getAll",
      action: "request",
      input: request("GET /deals/v1/deal/paged", { query: { limit: "=100" } }),
      items: "=one.body.deals",
      isList: true,
      takes: "filters options",
      notes: ["of a list, the first page is read"],
    },
    {
      on: "contact.delete",
      action: "request",
      input: request("DELETE /contacts/v1/contact/vid/{contactId}"),
    },
  ],
  gmail: [
    {
      on: "thread.getAll",
      action: "request",
      input: request("GET /gmail/v1/users/me/threads", {
        query: { q: "filters.q", maxResults: "=100" },
      }),
      items: "=one.body.threads ?? []",
      isList: true,
      takes: "simple filters options",
      notes: ["threads are found by the words of a search alone"],
    },
    {
      on: "thread.delete",
      action: "request",
      input: request("DELETE /gmail/v1/users/me/threads/{threadId}"),
      items: "=[{ success: true }]",
    },
    {
      on: "thread.untrash",
      action: "request",
      input: request("POST /gmail/v1/users/me/threads/{threadId}/untrash"),
    },
    {
      on: "label.delete",
      action: "request",
      input: request("DELETE /gmail/v1/users/me/labels/{labelId}"),
      items: "=[{ success: true }]",
    },
    {
      on: "draft.getAll",
      action: "request",
      input: request("GET /gmail/v1/users/me/drafts"),
      items: "=one.body.drafts ?? []",
      isList: true,
      takes: "options",
    },
    {
      on: "draft.delete",
      action: "request",
      input: request("DELETE /gmail/v1/users/me/drafts/{messageId}"),
      items: "=[{ success: true }]",
    },
  ],
  slack: [
    {
      on: "reaction.get",
      action: "request",
      input: request("GET /reactions.get", {
        query: { channel: "channelId", timestamp: "timestamp" },
      }),
      items: "=[one.body.message ?? one.body]",
    },
    {
      on: "reaction.remove",
      action: "request",
      input: request("POST /reactions.remove", {
        body: { channel: "channelId", timestamp: "timestamp", name: "name" },
      }),
    },
    {
      on: "channel.open",
      action: "request",
      input: request("POST /conversations.open", {
        body: {
          users: (read) => {
            const code = read.code("options.users");
            return code === undefined ? undefined : `n8n.list(${code}).join(",")`;
          },
          return_im: "options.returnIm|bool",
        },
      }),
      items: "=[one.body.channel]",
    },
    {
      on: "channel.get",
      action: "request",
      input: request("GET /conversations.info", { query: { channel: "channelId" } }),
      items: "=[one.body.channel]",
      takes: "options",
    },
    {
      on: "channel.member",
      action: "request",
      input: request("GET /conversations.members", {
        query: { channel: "channelId", limit: "=1000" },
      }),
      items: "=one.body.members.map((member) => ({ member }))",
      isList: true,
      takes: "resolveData",
    },
    {
      on: "user.getAll",
      action: "request",
      input: request("GET /users.list", { query: { limit: "=1000" } }),
      items: "=one.body.members",
      isList: true,
    },
    {
      on: "message.getPermalink",
      action: "request",
      input: request("GET /chat.getPermalink", {
        query: { channel: "channelId", message_ts: "timestamp" },
      }),
    },
  ],
  wooCommerce: [
    {
      on: "product.update",
      action: "request",
      input: request("PUT /products/{productId}", { body: wooProduct("updateFields") }),
      takes: "updateFields imagesUi dimensionsUi metadataUi",
      sample: { productId: "1" },
    },
    {
      on: "product.delete",
      action: "request",
      input: request("DELETE /products/{productId}", { query: { force: "=true" } }),
    },
    {
      on: "customer.get",
      action: "request",
      input: request("GET /customers/{customerId}"),
    },
    {
      on: "order.delete",
      action: "request",
      input: request("DELETE /orders/{orderId}", { query: { force: "=true" } }),
    },
  ],
  spotify: [
    {
      on: "player.addSongToQueue",
      action: "request",
      input: spotifyPlayer("POST", "/queue", {
        query: (read: ParameterReader) => `{ uri: ${read.text("id")} }`,
      }),
      items: "=[{ success: true }]",
      sample: { id: "spotify:track:1" },
    },
    ...(
      [
        ["nextSong", "POST", "/next"],
        ["previousSong", "POST", "/previous"],
        ["pause", "PUT", "/pause"],
        ["resume", "PUT", "/play"],
      ] as const
    ).map(([name, method, path]) => ({
      on: `player.${name}`,
      action: "request",
      input: spotifyPlayer(method, path),
      items: "=[{ success: true }]",
    })),
    {
      on: "player.currentlyPlaying",
      action: "request",
      input: spotifyPlayer("GET", "/currently-playing"),
    },
  ],
  pipedrive: [
    ...(["organization", "activity", "product", "lead"] as const).flatMap((resource) => [
      {
        on: `${resource}.get`,
        action: "request",
        input: request(`GET /${plural(resource)}/{${resource}Id}`),
        items: "=[one.body.data]",
        takes: "resolveProperties",
      },
      {
        on: `${resource}.getAll`,
        action: "request",
        input: request(`GET /${plural(resource)}`),
        items: "=one.body.data ?? []",
        isList: true,
        takes: "resolveProperties filters additionalFields",
      },
      {
        on: `${resource}.delete`,
        action: "request",
        input: request(`DELETE /${plural(resource)}/{${resource}Id}`),
        items: "=[one.body.data]",
      },
    ]),
    {
      on: "activity.create",
      action: "request",
      input: request("POST /activities", {
        body: together(
          fields({ subject: "subject", type: "type", done: "done|any" }),
          members("additionalFields"),
        ),
      }),
      items: "=[one.body.data]",
      takes: "additionalFields",
    },
    ...(["deal", "person", "organization"] as const).map((resource) => ({
      on: `${resource}.update`,
      action: "request",
      input: request(`PUT /${plural(resource)}/{${resource}Id}`, {
        body: members("updateFields"),
      }),
      items: "=[one.body.data]",
      takes: "updateFields encodeProperties",
    })),
  ],
};

function plural(resource: string): string {
  return resource === "activity" ? "activities" : `${resource}s`;
}
