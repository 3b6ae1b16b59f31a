/** Services for boards and teams: monday.com, Mattermost; and n8n itself. */
import type { FieldSource, ServiceTable } from "../service-table.ts";

/** n8n lists all unless it is told otherwise; the number is then the parameter's. */
const cut =
  (all: string): FieldSource =>
  (read) => {
    const limit = read.raw("limit") ?? 100;
    return read.raw("returnAll") === false ? `${all}.slice(0, ${Number(limit)})` : all;
  };

const n8nWorkflow: Readonly<Record<string, FieldSource>> = {
  name: "=n8n.json($workflowObject).name",
  nodes: "=n8n.json($workflowObject).nodes",
  connections: "=n8n.json($workflowObject).connections",
  settings: "=n8n.json($workflowObject).settings ?? {}",
};
const workflowFields = Object.fromEntries(
  Object.entries(n8nWorkflow).map(([name, source]): [string, FieldSource] => [
    name,
    (read) =>
      String(source)
        .slice(1)
        .replace("$workflowObject", () => read.code("workflowObject") ?? '"{}"'),
  ]),
);

export const teamServices: ServiceTable = {
  n8n: {
    preset: "n8n",
    title: "n8n",
    usual: "workflow.getAll execution.getAll credential.create audit.generate",
    actions: [
      {
        on: "workflow.getAll",
        action: "list_workflows",
        input: {
          active: "filters.activeWorkflows|bool",
          tags: "filters.tags",
          name: "filters.name",
          projectId: "filters.projectId",
          excludePinnedData: "filters.excludePinnedData|bool",
          pagesMax: "=50",
        },
        items: cut("one.items"),
        takes: "returnAll limit",
      },
      { on: "workflow.get", action: "get_workflow", input: { id: "workflowId" } },
      {
        on: "workflow.create",
        action: "create_workflow",
        input: workflowFields,
        sample: { workflowObject: '{"name":"a"}' },
      },
      {
        on: "workflow.update",
        action: "update_workflow",
        input: { id: "workflowId", ...workflowFields },
        sample: { workflowId: "1", workflowObject: '{"name":"a"}' },
      },
      { on: "workflow.delete", action: "delete_workflow", input: { id: "workflowId" } },
      { on: "workflow.activate", action: "activate_workflow", input: { id: "workflowId" } },
      { on: "workflow.deactivate", action: "deactivate_workflow", input: { id: "workflowId" } },
      {
        on: "execution.getAll",
        action: "list_executions",
        input: {
          workflowId: "filters.workflowId",
          status: "filters.status",
          includeData: "options.activeWorkflows|bool",
          pagesMax: "=50",
        },
        items: cut("one.items"),
        takes: "returnAll limit",
      },
      {
        on: "execution.get",
        action: "get_execution",
        input: { id: "executionId", includeData: "options.activeWorkflows|bool" },
      },
      { on: "execution.delete", action: "delete_execution", input: { id: "executionId" } },
      {
        on: "credential.create",
        action: "create_credential",
        input: { name: "name", type: "credentialTypeName", data: "data|json" },
      },
      { on: "credential.delete", action: "delete_credential", input: { id: "credentialId" } },
      {
        on: "credential.getSchema",
        action: "get_credential_schema",
        input: { type: "credentialTypeName" },
      },
      { on: "audit.generate", action: "generate_audit", takes: "additionalOptions" },
    ],
  },
  mondayCom: {
    preset: "monday",
    title: "monday.com",
    usual: "boardItem.create board.get",
    takes: "authentication",
    actions: [
      {
        on: "boardItem.create",
        action: "create_item",
        input: {
          board: "boardId",
          name: "name",
          group: "groupId",
          values: "additionalFields.columnValues",
        },
        items: "=[one.body.data.create_item]",
      },
      {
        on: "boardItem.getAll",
        action: "list_items",
        input: {
          board: "boardId",
          limit: (read) =>
            read.raw("returnAll") === true ? "500" : `${Number(read.raw("limit") ?? 50)}`,
        },
        items: (read) => {
          const group = read.code("groupId");
          const all = "one.body.data.boards[0].items_page.items";
          return group === undefined
            ? all
            : `${all}.filter((item) => item.group?.id === undefined || item.group.id === ${group})`;
        },
        takes: "returnAll limit groupId",
        notes: ["at most 500 items of a board are read"],
      },
      {
        on: "boardItem.get",
        action: "get_item",
        input: { item: "itemId" },
        items: "=one.body.data.items",
      },
      {
        on: "boardItem.addUpdate",
        action: "add_update",
        input: { item: "itemId", body: "value" },
        items: "=[one.body.data.create_update]",
      },
      {
        on: "boardItem.changeMultipleColumnValues",
        action: "change_column_values",
        input: { board: "boardId", item: "itemId", values: "columnValues" },
        items: "=[one.body.data.change_multiple_column_values]",
      },
      {
        on: "boardItem.changeColumnValue",
        action: "change_column_values",
        input: {
          board: "boardId",
          item: "itemId",
          values: (read) =>
            `JSON.stringify({ [${read.text("columnId")}]: ((value) => { try { return JSON.parse(value); } catch { return value; } })(${read.text("value")}) })`,
        },
        items: "=[one.body.data.change_multiple_column_values]",
      },
      {
        on: "boardItem.move",
        action: "move_to_group",
        input: { item: "itemId", group: "groupId" },
        items: "=[one.body.data.move_item_to_group]",
        takes: "boardId",
      },
      {
        on: "board.get",
        action: "get_board",
        input: { board: "boardId" },
        items: "=one.body.data.boards",
      },
    ],
  },
  mattermost: {
    preset: "mattermost",
    title: "Mattermost",
    usual: "message.post channel.create user.create",
    actions: [
      {
        on: "message.post",
        action: "post_message",
        input: {
          channel_id: "channelId",
          message: "message",
          root_id: "otherOptions.root_id",
          props: (read) => {
            const attachments = read.raw("attachments");
            if (!Array.isArray(attachments) || attachments.length === 0) return undefined;
            return `{ attachments: ${read.code("attachments")} }`;
          },
        },
        takes: "attachments",
        sample: { channelId: "c", message: "m" },
      },
      {
        on: "message.postEphemeral",
        action: "post_ephemeral",
        input: {
          user_id: "userId",
          post: (read) =>
            `{ channel_id: ${read.text("channelId")}, message: ${read.text("message")} }`,
        },
      },
      {
        on: "message.delete",
        action: "delete_message",
        input: { postId: "postId" },
        items: "=[{ success: true }]",
      },
      {
        on: "channel.create",
        action: "create_channel",
        input: {
          team_id: "teamId",
          name: "channel",
          display_name: "displayName",
          type: (read) => (read.raw("type") === "private" ? '"P"' : '"O"'),
        },
        takes: "type",
        sample: { teamId: "t", channel: "c", displayName: "d" },
      },
      {
        on: "channel.addUser",
        action: "add_user",
        input: { channelId: "channelId", user_id: "userId" },
      },
      {
        on: "user.create",
        action: "create_user",
        input: {
          email: "email",
          username: "username",
          password: "password",
          first_name: "additionalFields.first_name",
          last_name: "additionalFields.last_name",
          nickname: "additionalFields.nickname",
        },
        takes: "authService",
      },
      { on: "user.getByEmail", action: "get_user_by_email", input: { email: "email" } },
      { on: "user.getAll", action: "list_users", isList: true },
    ],
  },
};
