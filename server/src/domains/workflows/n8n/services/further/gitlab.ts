/** GitLab: issues, repositories and files. */
import { NotConvertible } from "../../conversion.ts";
import type { ParameterReader, ServiceTable } from "../service-table.ts";

export const gitlabService: ServiceTable = {
  gitlab: {
    preset: "gitlab",
    title: "GitLab",
    usual: "issue.create file.create repository.get release.create user.getRepositories",
    takes: "additionalParameters.author additionalParameters.encoding",
    actions: [
      {
        on: "issue.create",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) => `${projectPath(read)} + "/issues"`,
          body: (read) =>
            `{ title: ${read.text("title")}, description: ${read.text("body")}, labels: ${labels(read)} }`,
        },
        takes: "assignee_ids due_date",
      },
      {
        on: "issue.createComment",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) =>
            `${projectPath(read)} + "/issues/" + ${read.text("issueNumber")} + "/notes"`,
          body: (read) => `{ body: ${read.text("body")} }`,
        },
      },
      {
        on: "issue.get",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) => `${projectPath(read)} + "/issues/" + ${read.text("issueNumber")}`,
        },
      },
      {
        on: "repository.get",
        action: "request",
        input: { method: '="GET"', path: projectPath },
      },
      {
        on: "repository.getIssues",
        action: "request",
        input: { method: '="GET"', path: (read) => `${projectPath(read)} + "/issues"` },
        isList: true,
        takes: "getRepositoryIssuesFilters",
      },
      {
        on: "file.create",
        action: "request",
        input: { method: '="POST"', path: filePath, body: fileBody },
      },
      {
        on: "file.edit",
        action: "request",
        input: { method: '="PUT"', path: filePath, body: fileBody },
      },
      {
        on: "file.delete",
        action: "request",
        input: {
          method: '="DELETE"',
          path: filePath,
          query: (read) =>
            `{ branch: ${read.text("branch")}, commit_message: ${read.text("commitMessage")} }`,
        },
        items: "=[{ success: true }]",
      },
      {
        on: "file.get",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) =>
            `${filePath(read)}${read.raw("asBinaryProperty") === false ? "" : ' + "/raw"'}`,
          query: (read) => `{ ref: ${read.text("additionalParameters.reference")} || "HEAD" }`,
          response: (read) => (read.raw("asBinaryProperty") === false ? undefined : '"file"'),
        },
        items: (read) => `n8n.answer(one.body, ${read.code("binaryPropertyName") ?? '"data"'})`,
        takes: "binaryPropertyName",
      },
      {
        on: "file.list",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) => `${projectPath(read)} + "/repository/tree"`,
          query: (read) =>
            `{ path: ${read.text("filePath")}.replace(/\\/$/, ""), ref: ${read.text("additionalParameters.reference")} || undefined, recursive: ${read.code("additionalParameters.recursive") ?? "false"}, per_page: 100 }`,
        },
        isList: true,
        takes: "page",
      },
    ],
  },
};

function projectPath(read: ParameterReader): string {
  return `"/projects/" + encodeURIComponent(${read.text("owner")} + "/" + ${read.text("repository")})`;
}

function filePath(read: ParameterReader): string {
  return `${projectPath(read)} + "/repository/files/" + encodeURIComponent(${read.text("filePath")})`;
}

function fileBody(read: ParameterReader): string {
  if (read.raw("binaryData") === true) throw new NotConvertible("writes a file of the item");
  return `{ branch: ${read.text("branch")}, content: ${read.text("fileContent")}, commit_message: ${read.text("commitMessage")} }`;
}

function labels(read: ParameterReader): string {
  const list = read.raw("labels");
  const names = (Array.isArray(list) ? list : []).map((one: { label?: unknown }) =>
    JSON.stringify(one.label ?? ""),
  );
  return `[${names.join(", ")}].join(",")`;
}
