/** A table of orders. */
export const COLUMNS = [
  { name: "number", type: "text", required: true, unique: true },
  { name: "customer", type: "text" },
  { name: "total", type: "decimal" },
  { name: "status", type: "enum", options: { values: ["open", "paid", "late"] } },
  { name: "due", type: "date" },
];

const NAMES = [
  "Ada Byron",
  "Alan Turing",
  "Lovelace & Co.",
  "Noether AG",
  "Curie Sœurs",
  "Euler",
  "Gauss",
  "Riemann",
];
export const ORDERS = NAMES.map((customer, index) => ({
  number: `A-${1001 + index}`,
  customer,
  total: 120.5 * (index + 1),
  status: ["open", "paid", "open", "late"][index % 4],
  due: `2026-11-${String(10 + index)}`,
}));

/** An app with one of everything, on that table and a workflow. */
export function ordersApp(table: string, workflowId: string) {
  const form = {
    type: "form",
    id: "add",
    submitLabel: "Add",
    fields: [
      { name: "number", label: "Number", required: true, help: "As it stands on the paper" },
      { name: "customer", label: "Customer" },
      { name: "total", label: "Total", input: "number" },
      {
        name: "status",
        label: "Status",
        input: "select",
        options: ["open", "paid", "late"],
        default: "open",
      },
      { name: "due", label: "Due", input: "date" },
    ],
    submit: { type: "create_record", table, message: "{{ result.number }} was added" },
  };
  const rows = {
    type: "table",
    id: "orders",
    title: "Orders",
    dataSource: "orders",
    pageSize: 5,
    search: true,
    columns: [
      { field: "number", label: "No." },
      { field: "customer", label: "Customer" },
      { field: "status", label: "Status", format: "badge" },
      { field: "due", label: "Due", format: "date" },
      { field: "total", label: "Total", format: "money" },
    ],
    rowActions: [
      {
        label: "Pay",
        confirm: "Is it paid?",
        action: { type: "update_record", table, id: "{{ row.id }}", values: { status: "paid" } },
      },
    ],
  };
  return {
    name: "Order desk",
    dataSources: [{ name: "orders", kind: "table", config: { table, sort: "number" } }],
    pages: [
      {
        path: "/",
        title: "Open orders",
        components: [
          { type: "text", text: "Good day, {{ user.name }} ({{ params.tone }})", style: "muted" },
          { type: "text", text: "{{ context.note }}", visible: "{{ context.note }}" },
          {
            type: "columns",
            columns: [
              {
                width: 4,
                components: [
                  { type: "stat", label: "In all", value: "{{ $count(data.orders) & ' orders' }}" },
                ],
              },
              {
                width: 4,
                components: [
                  {
                    type: "stat",
                    label: "Worth",
                    value: "{{ $sum(data.orders.total) }}",
                    format: "money",
                  },
                ],
              },
              {
                width: 4,
                components: [
                  {
                    type: "stat",
                    label: "Late",
                    value: "{{ $count(data.orders[status='late']) }}",
                  },
                ],
              },
            ],
          },
          {
            type: "columns",
            columns: [
              { width: 8, components: [rows] },
              {
                width: 4,
                components: [
                  { type: "modal", title: "New order", openLabel: "New order", components: [form] },
                  {
                    type: "button",
                    label: "Count them",
                    style: "primary",
                    action: {
                      type: "run_workflow",
                      workflowId,
                      wait: true,
                      input: { who: "{{ user.name }}" },
                      message: "{{ result.said }}",
                    },
                  },
                  {
                    type: "chart",
                    dataSource: "orders",
                    kind: "bar",
                    x: "customer",
                    y: "total",
                    title: "Worth by customer",
                  },
                ],
              },
            ],
          },
          {
            type: "tabs",
            tabs: [
              {
                title: "Share",
                components: [
                  {
                    type: "chart",
                    dataSource: "orders",
                    kind: "pie",
                    x: "customer",
                    y: "total",
                    title: "Share",
                  },
                ],
              },
              {
                title: "Trend",
                components: [
                  {
                    type: "chart",
                    dataSource: "orders",
                    kind: "line",
                    x: "due",
                    y: "total",
                    title: "Trend",
                  },
                ],
              },
            ],
          },
          {
            type: "select",
            name: "show",
            label: "Show",
            options: ["open", "paid"],
            default: "open",
          },
          { type: "text", text: "Looking at {{ inputs.show }}" },
          {
            type: "detail",
            title: "The first",
            dataSource: "orders",
            fields: [
              { field: "number", label: "No." },
              { field: "customer", label: "Customer" },
              { field: "due", label: "Due", format: "date" },
            ],
          },
        ],
      },
      {
        path: "/about",
        title: "About",
        components: [
          {
            type: "markdown",
            text: "# How it works\n\nOrders come from **one table**.\n\n- See them\n- Pay them\n\n> Nothing else.\n\n```\nselect 1\n```",
          },
        ],
      },
    ],
  };
}
