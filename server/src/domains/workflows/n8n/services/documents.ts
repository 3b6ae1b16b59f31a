/** Services that keep pages and files: Notion, GitHub. */
import { NotConvertible } from "../conversion.ts";
import { toList, toObject, toText } from "../n8n-workflow.ts";
import { notionBlocks, notionFilter, notionProperties } from "./notion-values.ts";
import { type ParameterReader, request, type ServiceTable } from "./service-table.ts";
import { names } from "./data.ts";

const idOfPage = (path: string) => (read: ParameterReader) => {
  const code = read.code(path) ?? '""';
  return `n8n.notionId(${code})`;
};

const notionItem = (read: ParameterReader): string =>
  read.raw("simple") === false ? "[one.body]" : "[n8n.notionPage(one.body)]";

const repository = {
  owner: "owner",
  repo: "repository",
} as const;

const fileContent = (read: ParameterReader): string => {
  if (read.raw("binaryData") === true) throw new NotConvertible("writes a file of the item");
  return `Buffer.from(${read.text("fileContent")}).toString("base64")`;
};

function notionSorts(read: ParameterReader): string | undefined {
  const values = toList(toObject(toObject(read.raw("options.sort"))["sortValue"] ?? {})).map(
    toObject,
  );
  const list = toList(toObject(read.raw("options.sort"))["sortValue"]).map(toObject);
  const all = list.length > 0 ? list : values;
  if (all.length === 0) return undefined;
  const codes = all.map(({ key, timestamp, direction = "ascending" }) => {
    const named = toText(key).split("|")[0] ?? "";
    return timestamp === true || named === "created_time" || named === "last_edited_time"
      ? `{ timestamp: ${JSON.stringify(named)}, direction: ${JSON.stringify(direction)} }`
      : `{ property: ${JSON.stringify(named)}, direction: ${JSON.stringify(direction)} }`;
  });
  return `[${codes.join(", ")}]`;
}

export const documentServices: ServiceTable = {
  notion: {
    preset: "notion",
    title: "Notion",
    usual: "page.create databasePage.create database.getAll block.getAll user.getAll",
    actions: [
      {
        on: "database.getAll",
        action: "request",
        input: request("POST /search", {
          body: { filter: '={ property: "object", value: "database" }', page_size: "=100" },
        }),
        items: (read) =>
          read.raw("simple") === false
            ? "one.body.results"
            : 'one.body.results.map(({ id, url, title }) => ({ id, name: title?.[0]?.plain_text ?? "", url }))',
        isList: true,
        notes: ["at most 100 databases are found"],
      },
      {
        on: "databasePage.create",
        action: "create_database_page",
        input: {
          databaseId: idOfPage("databaseId"),
          properties: notionProperties,
          children: notionBlocks,
        },
        items: notionItem,
        takes: "options.icon options.iconType blockUi propertiesUi title",
        sample: {
          databaseId: "d",
          title: "t",
          propertiesUi: {
            propertyValues: [{ key: "State|select", selectValue: "={{ $json.state }}" }],
          },
        },
      },
      {
        on: "databasePage.update",
        action: "update_page",
        input: { pageId: idOfPage("pageId"), properties: notionProperties },
        items: notionItem,
        takes: "options.icon options.iconType propertiesUi",
      },
      {
        on: "databasePage.getAll",
        action: "query_database",
        input: { databaseId: idOfPage("databaseId"), filter: notionFilter, sorts: notionSorts },
        items: (read) =>
          read.raw("simple") === false
            ? "one.items"
            : "one.items.map((page) => n8n.notionPage(page))",
        isList: true,
        takes: "options filters filterType matchType filterJson options.downloadFiles",
      },
      {
        on: "databasePage.get page.get",
        action: "get_page",
        input: { pageId: idOfPage("pageId") },
        items: notionItem,
      },
      {
        on: "page.create",
        action: "create_page",
        input: {
          pageId: idOfPage("pageId"),
          properties: (read) => `{ title: [{ text: { content: ${read.text("title")} } }] }`,
          children: notionBlocks,
        },
        items: notionItem,
        takes: "options.icon options.iconType blockUi",
      },
      {
        on: "page.archive",
        action: "archive_page",
        input: { pageId: idOfPage("pageId") },
        items: notionItem,
      },
      {
        on: "page.search",
        action: "search",
        input: { query: "text" },
        items: (read) =>
          read.raw("simple") === false
            ? "one.items"
            : "one.items.map((page) => n8n.notionPage(page))",
        isList: true,
        takes: "options.filter options.sort",
      },
      {
        on: "block.getAll",
        action: "list_blocks",
        input: { blockId: idOfPage("blockId") },
        items: (read) => {
          if (read.raw("fetchNestedBlocks") === true)
            throw new NotConvertible("reads nested blocks");
          return read.raw("simplifyOutput") === false
            ? "one.items"
            : "one.items.map((block) => n8n.notionBlock(block))";
        },
        isList: true,
      },
      {
        on: "block.append",
        action: "append_blocks",
        input: { blockId: idOfPage("blockId"), children: (read) => notionBlocks(read) ?? "[]" },
        takes: "blockUi",
      },
      {
        on: "database.get",
        action: "get_database",
        input: { databaseId: idOfPage("databaseId") },
        takes: "simple",
      },
      { on: "user.getAll", action: "list_users", isList: true },
    ],
  },
  github: {
    preset: "github",
    title: "GitHub",
    usual:
      "issue.create file.create repository.getIssues release.create user.getRepositories review.getAll workflow.dispatch",
    takes: "additionalParameters.reference",
    actions: [
      {
        on: "file.get",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) =>
            `"/repos/" + ${read.source(repository.owner) ?? '""'} + "/" + ${read.source(repository.repo) ?? '""'} + "/contents/" + encodeURI(${read.text("filePath")})`,
          query: (read) => {
            const ref = read.code("additionalParameters.reference");
            return ref === undefined ? "{}" : `{ ref: n8n.text(${ref}) }`;
          },
          headers: (read) =>
            read.raw("asBinaryProperty") === false
              ? "{}"
              : '{ accept: "application/vnd.github.raw+json" }',
          response: (read) => (read.raw("asBinaryProperty") === false ? undefined : '"file"'),
        },
        items: (read) => `n8n.answer(one.body, ${read.code("binaryPropertyName") ?? '"data"'})`,
        takes: "additionalParameters binaryPropertyName asBinaryProperty",
        sample: { owner: "o", repository: "r", filePath: "f" },
      },
      {
        on: "file.list",
        action: "list_files",
        input: { ...repository, path: "filePath" },
        takes: "additionalParameters",
      },
      {
        on: "file.create",
        action: "write_file",
        input: {
          ...repository,
          path: "filePath",
          message: "commitMessage",
          content: fileContent,
          branch: "additionalParameters.branch.branch",
        },
        takes: "additionalParameters binaryData",
      },
      {
        on: "file.edit",
        action: "write_file",
        via: {
          action: "get_file",
          input: { ...repository, path: "filePath" },
          inputs: "[{ ...asked, sha: one.body.sha }]",
        },
        input: {
          ...repository,
          path: "filePath",
          message: "commitMessage",
          content: fileContent,
          branch: "additionalParameters.branch.branch",
        },
        takes: "additionalParameters binaryData",
      },
      {
        on: "file.delete",
        action: "delete_file",
        via: {
          action: "get_file",
          input: { ...repository, path: "filePath" },
          inputs: "[{ ...asked, sha: one.body.sha }]",
        },
        input: { ...repository, path: "filePath", message: "commitMessage" },
        takes: "additionalParameters",
      },
      {
        on: "issue.create",
        action: "create_issue",
        input: {
          ...repository,
          title: "title",
          body: "body",
          labels: names("labels", "label"),
          assignees: names("assignees", "assignee"),
        },
      },
      {
        on: "issue.get",
        action: "get_issue",
        input: { ...repository, issue_number: "issueNumber|number" },
      },
      {
        on: "issue.edit",
        action: "update_issue",
        input: {
          ...repository,
          issue_number: "issueNumber|number",
          title: "editFields.title",
          body: "editFields.body",
          state: "editFields.state",
        },
        takes: "editFields",
      },
      {
        on: "issue.createComment",
        action: "create_comment",
        input: { ...repository, issue_number: "issueNumber|number", body: "body" },
      },
      {
        on: "repository.getIssues",
        action: "list_issues",
        input: {
          ...repository,
          state: "getRepositoryIssuesFilters.state",
          labels: "getRepositoryIssuesFilters.labels",
          since: "getRepositoryIssuesFilters.since",
        },
        isList: true,
        takes: "getRepositoryIssuesFilters",
      },
      { on: "repository.get", action: "get_repository", input: repository },
      {
        on: "user.getRepositories",
        action: "request",
        input: request("GET /users/{owner}/repos"),
        isList: true,
      },
      {
        on: "release.create",
        action: "create_release",
        input: {
          ...repository,
          tag_name: "releaseTag",
          name: "additionalFields.name",
          body: "additionalFields.body",
          draft: "additionalFields.draft|bool",
          prerelease: "additionalFields.prerelease|bool",
        },
      },
      { on: "release.getAll", action: "list_releases", input: repository, isList: true },
      {
        on: "workflow.dispatch",
        action: "dispatch_workflow",
        input: { ...repository, workflow_id: "workflowId", ref: "ref", inputs: "inputs|json" },
        items: "=[{ success: true }]",
      },
    ],
  },
};
