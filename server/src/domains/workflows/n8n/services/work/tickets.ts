/** Services for issues, tickets and tasks. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { toList, toObject, toText } from "../../n8n-workflow.ts";
import { objectCode, type ParameterReader, request, type ServiceTable } from "../service-table.ts";

const jiraText = (path: string) => (read: ParameterReader) => {
  const code = read.code(path);
  return code === undefined ? undefined : `n8n.jiraText(${code})`;
};

const jiraFields = (read: ParameterReader): string => {
  read.raw("updateFields");
  const { summary, description, labels, priority, assignee, statusId, customFieldsUi, ...rest } =
    toObject(read.raw("updateFields"));
  if (Object.keys(rest).some((name) => name !== "reporter" && name !== "issueType"))
    throw new NotConvertible(`changes ${Object.keys(rest).join(", ")} of an issue`);
  if (statusId !== undefined)
    throw new NotConvertible("changes fields and the state of an issue at once");
  const chosen = (value: unknown): string => {
    const { __rl, value: inner } = toObject(value);
    return `n8n.text(${toCode(__rl === true ? inner : value)})`;
  };
  const custom = toList(toObject(customFieldsUi)["customFieldsValues"]).map((one) => {
    const { fieldId, fieldValue = "" } = toObject(one);
    return `[${chosen(fieldId)}]: ${toCode(fieldValue)}`;
  });
  return `{ ${[
    ...(summary === undefined ? [] : [`summary: n8n.text(${toCode(summary)})`]),
    ...(description === undefined ? [] : [`description: n8n.jiraText(${toCode(description)})`]),
    ...(labels === undefined ? [] : [`labels: n8n.list(${toCode(labels)})`]),
    ...(priority === undefined ? [] : [`priority: { id: ${chosen(priority)} }`]),
    ...(assignee === undefined ? [] : [`assignee: { id: ${chosen(assignee)} }`]),
    ...custom,
  ].join(", ")} }`;
};

export const ticketServices: ServiceTable = {
  jira: {
    preset: "jira",
    title: "Jira",
    usual: "issue.create issueComment.add issueAttachment.add user.get",
    takes: "jiraVersion",
    actions: [
      {
        on: "issue.create",
        action: "request",
        input: request("POST /rest/api/3/issue", {
          body: (read) =>
            `{ fields: ${objectCode(read, {
              project: (inner) => `{ id: ${inner.text("project")} }`,
              issuetype: (inner) => `{ id: ${inner.text("issueType")} }`,
              summary: "summary",
              description: jiraText("additionalFields.description"),
              labels: "additionalFields.labels|list",
              priority: (inner) =>
                inner.raw("additionalFields.priority") === undefined
                  ? undefined
                  : `{ id: ${inner.text("additionalFields.priority")} }`,
              assignee: (inner) =>
                inner.raw("additionalFields.assignee") === undefined
                  ? undefined
                  : `{ id: ${inner.text("additionalFields.assignee")} }`,
              parent: (inner) =>
                inner.raw("additionalFields.parentIssueKey") === undefined
                  ? undefined
                  : `{ key: ${inner.text("additionalFields.parentIssueKey")} }`,
            })} }`,
        }),
      },
      {
        on: "issue.update",
        action: "request",
        input: {
          method: (read) => (read.raw("updateFields.statusId") === undefined ? '"PUT"' : '"POST"'),
          path: (read) =>
            `"/rest/api/3/issue/" + encodeURIComponent(${read.text("issueKey")})${read.raw("updateFields.statusId") === undefined ? "" : ' + "/transitions"'}`,
          body: (read) => {
            const fields = toObject(read.raw("updateFields"));
            return Object.keys(fields).join() === "statusId"
              ? `{ transition: { id: ${read.text("updateFields.statusId")} } }`
              : `{ fields: ${jiraFields(read)} }`;
          },
        },
        items: "=[{ success: true }]",
        sample: { issueKey: "A-1", updateFields: { summary: "s" } },
      },
      {
        on: "issue.getAll",
        action: "search_issues",
        input: {
          jql: (read) => read.source("options.jql") ?? '"created >= -10000d"',
          fields: (read) => `n8n.list(${read.code("options.fields") ?? '"*navigable"'})`,
        },
        isList: true,
        takes: "options.expand",
      },
      {
        on: "issue.get",
        action: "get_issue",
        input: { issue: "issueKey" },
        takes: "additionalFields.expand additionalFields.fields simplifyOutput",
      },
      {
        on: "issue.delete",
        action: "delete_issue",
        input: { issue: "issueKey" },
        items: "=[{ success: true }]",
        takes: "deleteSubtasks",
      },
      { on: "issue.transitions", action: "list_transitions", input: { issue: "issueKey" } },
      {
        on: "issueComment.add",
        action: "request",
        input: request("POST /rest/api/3/issue/{issueKey}/comment", {
          body: (read) => `{ body: n8n.jiraText(${read.code("comment") ?? '""'}) }`,
        }),
        takes: "options.wikiMarkup",
      },
      {
        on: "issueComment.getAll",
        action: "list_comments",
        input: { issue: "issueKey" },
        isList: true,
      },
    ],
  },
  zendesk: {
    preset: "zendesk",
    title: "Zendesk",
    usual: "ticket.create user.create",
    actions: [
      {
        on: "ticket.create",
        action: "request",
        input: request("POST /tickets.json", {
          body: (read) =>
            `{ ticket: ${objectCode(read, {
              subject: "additionalFields.subject",
              comment: (inner) => `{ body: ${inner.text("description")} }`,
              priority: "additionalFields.priority",
              type: "additionalFields.type",
              status: "additionalFields.status",
              tags: "additionalFields.tags|list",
            })} }`,
        }),
        items: "=[one.body.ticket]",
      },
      {
        on: "ticket.get",
        action: "get_ticket",
        input: { id: "id" },
        items: "=[one.body.ticket]",
        takes: "ticketType",
      },
      {
        on: "ticket.getAll",
        action: "search",
        input: {
          query: (read) => {
            const status = read.code("options.status");
            const query = read.code("options.query");
            return `["type:ticket"${status === undefined ? "" : `, "status:" + n8n.text(${status})`}${query === undefined ? "" : `, n8n.text(${query})`}].join(" ")`;
          },
          sort_by: "options.sortBy",
        },
        isList: true,
        takes: "options.sortOrder ticketType",
      },
      {
        on: "ticket.update",
        action: "request",
        input: request("PUT /tickets/{id}.json", {
          body: (read) =>
            `{ ticket: ${objectCode(read, {
              subject: "updateFields.subject",
              status: "updateFields.status",
              priority: "updateFields.priority",
              tags: "updateFields.tags|list",
              assignee_email: "updateFields.assigneeEmail",
              external_id: "updateFields.externalId",
              comment: (inner) => {
                const note = inner.code("updateFields.internalNote");
                const open = inner.code("updateFields.publicReply");
                return (note ?? open) === undefined
                  ? undefined
                  : `{ html_body: n8n.text(${note ?? open}), public: ${note === undefined} }`;
              },
              custom_fields: (inner) => {
                const list = toList(
                  toObject(inner.raw("updateFields.customFieldsUi"))["customFieldsValues"],
                ).map(toObject);
                return list.length === 0
                  ? undefined
                  : `[${list.map(({ id = "", value = "" }) => `{ id: n8n.number(${toCode(id)}), value: ${toCode(value)} }`).join(", ")}]`;
              },
            })} }`,
        }),
        items: "=[one.body.ticket]",
        takes: "ticketType",
      },
      { on: "user.get", action: "get_user", input: { id: "id" }, items: "=[one.body.user]" },
    ],
  },
  trello: {
    preset: "trello",
    title: "Trello",
    usual: "card.create list.getAll board.get cardComment.create",
    actions: [
      {
        on: "card.create",
        action: "create_card",
        input: {
          name: "name",
          desc: "description",
          idList: "listId",
          due: "additionalFields.due",
          idLabels: "additionalFields.idLabels|list",
          idMembers: "additionalFields.idMembers|list",
          pos: "additionalFields.pos",
        },
        takes: "additionalFields.urlSource",
      },
      {
        on: "card.update",
        action: "update_card",
        input: {
          id: "id",
          name: "updateFields.name",
          desc: "updateFields.description",
          idList: "updateFields.idList",
          due: "updateFields.due",
          idLabels: "updateFields.idLabels|list",
          closed: "updateFields.closed|bool",
        },
      },
      { on: "card.get", action: "get_card", input: { id: "id" }, takes: "additionalFields.fields" },
      { on: "card.delete", action: "delete_card", input: { id: "id" } },
      { on: "cardComment.create", action: "add_comment", input: { id: "cardId", text: "text" } },
      {
        on: "list.getAll",
        action: "list_lists",
        input: { id: "id" },
        isList: true,
        takes: "additionalFields.fields",
      },
      {
        on: "list.getCards",
        action: "list_cards",
        input: { id: "id" },
        isList: true,
        takes: "additionalFields.fields",
      },
      { on: "board.get", action: "get_board", input: { id: "id" } },
    ],
  },
  clickUp: {
    preset: "clickup",
    title: "ClickUp",
    usual: "task.create comment.create list.create",
    takes: "team space folder folderless",
    actions: [
      {
        on: "task.create",
        action: "create_task",
        input: {
          listId: "list",
          name: "name",
          description: "additionalFields.content",
          assignees: (read) =>
            read.raw("additionalFields.assignees") === undefined
              ? undefined
              : `n8n.list(${read.code("additionalFields.assignees") ?? '""'}).map(Number)`,
          status: "additionalFields.status",
          priority: "additionalFields.priority|number",
          due_date: (read) =>
            read.raw("additionalFields.dueDate") === undefined
              ? undefined
              : `new Date(${read.code("additionalFields.dueDate") ?? '""'}).getTime()`,
          tags: "additionalFields.tags|list",
        },
      },
      { on: "task.get", action: "get_task", input: { taskId: "id" } },
      {
        on: "task.update",
        action: "update_task",
        input: {
          taskId: "id",
          name: "updateFields.name",
          description: "updateFields.content",
          status: "updateFields.status",
          priority: "updateFields.priority|number",
        },
      },
      {
        on: "task.getAll",
        action: "list_tasks",
        input: { listId: "list" },
        isList: true,
        takes: "filters.statuses filters.includeClosed",
      },
      {
        on: "task.delete",
        action: "delete_task",
        input: { taskId: "id" },
        items: "=[{ success: true }]",
      },
      {
        on: "comment.create",
        action: "add_comment",
        input: {
          taskId: (read) => {
            if (toText(read.raw("commentOn")) !== "task")
              throw new NotConvertible("comments on a list or view");
            return read.text("id");
          },
          comment_text: "commentText",
        },
        sample: { commentOn: "task", id: "t", commentText: "c" },
      },
    ],
  },
};
