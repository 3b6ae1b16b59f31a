/** Services of which nodes need a call or two: scans, notices, homes, issues, pictures, pages. */
import { toCode } from "../../code-text.ts";
import { toList, toObject } from "../../n8n-workflow.ts";
import {
  fields,
  members,
  pairs,
  type ParameterReader,
  request,
  type ServiceTable,
  together,
} from "../service-table.ts";

/** A question to Linear's one address. */
const linear = (query: string, variables: (read: ParameterReader) => string) => ({
  method: '="POST"',
  path: '="/graphql"',
  body: (read: ParameterReader) =>
    `{ query: ${JSON.stringify(query)}, variables: ${variables(read)} }`,
});
const ISSUE =
  "{ id identifier title description priority url createdAt state { id name } team { id name } assignee { id name } }";
const linearIssue = (group: string) =>
  together(
    fields({
      title: "title",
      teamId: "teamId",
    }),
    (read) => {
      const code = read.code(`${group}.priorityId`);
      return code === undefined ? "{}" : `{ priority: Number(${code}) }`;
    },
    members(group, { priorityId: "priority" }),
  );

export const pageServices: ServiceTable = {
  urlScanIo: {
    preset: "urlscan",
    title: "urlscan.io",
    base: "https://urlscan.io/api/v1",
    usual: "scan.perform",
    actions: [
      {
        on: "scan.perform",
        action: "request",
        input: request("POST /scan/", {
          body: together(fields({ url: "url" }), members("additionalFields")),
        }),
        items: "=[{ ...one.body, scanId: one.body.uuid }]",
        takes: "additionalFields",
      },
      { on: "scan.get", action: "request", input: request("GET /result/{scanId}/") },
    ],
  },
  pushover: {
    preset: "pushover",
    title: "Pushover",
    base: "https://api.pushover.net/1",
    usual: "message.push",
    takes: "additionalFields.attachmentsUi",
    actions: [
      {
        on: "message.push",
        action: "request",
        input: request("POST /messages.json", {
          body: together(
            fields({
              user: "userKey",
              message: "message",
              priority: "priority|number",
              retry: "retry|number",
              expire: "expire|number",
            }),
            members("additionalFields"),
          ),
        }),
        takes: "additionalFields",
        notes: ["the token of the application is a field that the connector adds, or a secret"],
      },
    ],
  },
  homeAssistant: {
    preset: "home_assistant",
    title: "Home Assistant",
    base: "https://YOUR-HOME/api",
    usual: "config.get service.getAll state.get",
    actions: [
      { on: "state.get", action: "request", input: request("GET /states/{entityId}") },
      {
        on: "state.getAll",
        action: "request",
        input: request("GET /states"),
        isList: true,
      },
      {
        on: "state.upsert",
        action: "request",
        input: request("POST /states/{entityId}", {
          body: {
            state: "state",
            attributes: pairs("stateAttributes/attributes", "name", "value"),
          },
        }),
        takes: "stateAttributes",
      },
      {
        on: "service.call",
        action: "request",
        input: request("POST /services/{domain}/{service}", {
          body: pairs("serviceAttributes/attributes", "name", "value"),
        }),
        takes: "serviceAttributes",
      },
    ],
  },
  linear: {
    preset: "linear",
    title: "Linear",
    base: "https://api.linear.app",
    usual: "issue.create comment.addComment",
    actions: [
      {
        on: "issue.create",
        action: "request",
        input: linear(
          `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success issue ${ISSUE} } }`,
          (read) => `{ input: ${linearIssue("additionalFields")(read)} }`,
        ),
        items: "=[one.body.data.issueCreate.issue]",
        takes: "additionalFields",
        sample: { title: "t", teamId: "1" },
      },
      {
        on: "issue.update",
        action: "request",
        input: linear(
          `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success issue ${ISSUE} } }`,
          (read) => `{ id: ${read.text("issueId")}, input: ${linearIssue("updateFields")(read)} }`,
        ),
        items: "=[one.body.data.issueUpdate.issue]",
        takes: "updateFields",
        sample: { issueId: "1" },
      },
      {
        on: "issue.get",
        action: "request",
        input: linear(
          `query ($id: String!) { issue(id: $id) ${ISSUE} }`,
          (read) => `{ id: ${read.text("issueId")} }`,
        ),
        items: "=[one.body.data.issue]",
      },
      {
        on: "issue.getAll",
        action: "request",
        input: linear(`query { issues(first: 100) { nodes ${ISSUE} } }`, () => "{}"),
        items: "=one.body.data.issues.nodes",
        isList: true,
      },
      {
        on: "comment.addComment",
        action: "request",
        input: linear(
          "mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id body } } }",
          (read) =>
            `{ input: { issueId: ${read.text("issueId")}, body: ${read.text("comment")} } }`,
        ),
        items: "=[one.body.data.commentCreate]",
        takes: "additionalFields",
      },
    ],
  },
  bannerbear: {
    preset: "bannerbear",
    title: "Bannerbear",
    base: "https://api.bannerbear.com/v2",
    usual: "image.create template.get",
    takes:
      "additionalFields.waitForImage additionalFields.waitForImageMaxTries additionalFields.metadata",
    actions: [
      {
        on: "image.create",
        action: "request",
        input: {
          method: '="POST"',
          path: '="/images"',
          query: (read) =>
            read.raw("additionalFields.waitForImage") === true ? '{ synchronous: "true" }' : "{}",
          body: (read) => {
            const all = toList(toObject(read.raw("modificationsUi"))["modificationsValues"]);
            const codes = all.map((one) => {
              const { name = "", text, color, background, imageUrl } = toObject(one);
              const part = (key: string, value: unknown): string[] =>
                value === undefined || value === "" ? [] : [`${key}: ${toCode(value)}`];
              return `{ ${[`name: ${toCode(name)}`, ...part("text", text), ...part("color", color), ...part("background", background), ...part("image_url", imageUrl)].join(", ")} }`;
            });
            return `{ template: ${read.text("templateId")}, modifications: [${codes.join(", ")}] }`;
          },
        },
        takes: "modificationsUi",
        notes: ["a picture that is waited for is asked for in one call"],
      },
      { on: "image.get", action: "request", input: request("GET /images/{imageId}") },
    ],
  },
  webflow: {
    preset: "webflow",
    title: "Webflow",
    base: "https://api.webflow.com/v2",
    usual: "item.get",
    takes: "siteId",
    actions: [
      {
        on: "item.create",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) =>
            `"/collections/" + ${read.text("collectionId")} + "/items"${read.raw("live") === true ? ' + "/live"' : ""}`,
          body: (read) =>
            `{ fieldData: ${pairs("fieldsUi/fieldValues", "fieldId", "fieldValue")(read)} }`,
        },
        takes: "fieldsUi live",
      },
      {
        on: "item.update",
        action: "request",
        input: {
          method: '="PATCH"',
          path: (read) =>
            `"/collections/" + ${read.text("collectionId")} + "/items/" + ${read.text("itemId")}${read.raw("live") === true ? ' + "/live"' : ""}`,
          body: (read) =>
            `{ fieldData: ${pairs("fieldsUi/fieldValues", "fieldId", "fieldValue")(read)} }`,
        },
        takes: "fieldsUi live",
      },
      {
        on: "item.get",
        action: "request",
        input: request("GET /collections/{collectionId}/items/{itemId}"),
      },
      {
        on: "item.getAll",
        action: "request",
        input: request("GET /collections/{collectionId}/items"),
        items: "=one.body.items",
        isList: true,
      },
      {
        on: "item.deleteItem",
        action: "request",
        input: request("DELETE /collections/{collectionId}/items/{itemId}"),
        items: "=[{ success: true }]",
      },
    ],
  },
};
