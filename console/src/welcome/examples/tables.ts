import { call } from "../../data/api.ts";
import { place } from "../../data/place.ts";
import { type Example, OURS, publish, runWith } from "./example.ts";

const STOCK = [
  ["Bolt M6", "A-01", 2, 50],
  ["Nut M6", "A-02", 500, 50],
  ["Gear 24", "B-11", 4, 10],
  ["Bearing 608", "B-12", 36, 20],
  ["Belt 900", "C-03", 7, 8],
  ["Motor 24 V", "C-07", 3, 2],
  ["Cable 2 m", "D-01", 61, 30],
  ["Fuse 5 A", "D-02", 9, 40],
] as const;

const TABLE = {
  slug: "example_stock",
  name: "Stock",
  description: "Items in the stock room",
  columns: [
    { name: "item", type: "text", required: true },
    { name: "shelf", type: "text" },
    { name: "quantity", type: "integer", required: true },
    { name: "minimum", type: "integer", required: true },
    {
      name: "status",
      type: "enum",
      options: { values: ["fine", "low", "ordered"] },
      default: "fine",
    },
  ],
};

const APP = {
  name: "Stock room",
  slug: "example-stock-room",
  description: "Items in the stock room, and items with low stock",
  dataSources: [
    { name: "stock", kind: "table", config: { table: "example_stock", sort: "item" } },
    {
      name: "low",
      kind: "aggregate",
      config: {
        table: "example_stock",
        filter: { status: "low" },
        aggregates: [{ fn: "count", as: "items" }],
      },
    },
  ],
  pages: [
    {
      path: "/",
      title: "Stock",
      components: [
        { type: "stat", label: "Low stock", value: "{{ data.low.items }}" },
        {
          type: "table",
          dataSource: "stock",
          search: true,
          columns: [
            { field: "item", label: "Item" },
            { field: "shelf", label: "Shelf" },
            { field: "quantity", label: "In stock" },
            { field: "status", label: "Status", format: "badge" },
          ],
          rowActions: [
            {
              label: "Mark as ordered",
              action: {
                type: "update_record",
                table: "example_stock",
                id: "{{ row.id }}",
                values: { status: "ordered" },
              },
            },
          ],
        },
      ],
    },
  ],
};

/** A table with records, an app for it, and a workflow that maintains the records. */
export const tables: Example = {
  pack: {
    id: "example_stock",
    name: "Example: stock room",
    description: "A stock table, and a workflow that marks items with low stock",
    ...OURS,
    resources: {
      tables: [TABLE],
      workflows: [
        {
          key: "low",
          definition: {
            name: "Mark low stock",
            description: "Marks all items below their minimum quantity.",
            trigger: { type: "manual" },
            nodes: [
              {
                id: "stock",
                name: "List stock",
                type: "records",
                config: { operation: "list", table: "example_stock", filter: { status: "fine" } },
              },
              {
                id: "each",
                name: "Loop over items",
                type: "loop",
                config: {
                  items: "{{ steps.stock.output[quantity < minimum] }}",
                  concurrency: 2,
                  body: {
                    nodes: [
                      {
                        id: "mark",
                        name: "Mark item",
                        type: "records",
                        config: {
                          operation: "update",
                          table: "example_stock",
                          id: "{{ item.id }}",
                          data: { status: "low" },
                        },
                      },
                    ],
                    edges: [],
                  },
                },
              },
            ],
            edges: [{ from: "stock", to: "each" }],
          },
        },
      ],
    },
  },
  async fill(made) {
    const records = STOCK.map(([item, shelf, quantity, minimum]) => ({
      item,
      shelf,
      quantity,
      minimum,
    }));
    await call("records.bulk_create", { params: { slug: TABLE.slug }, body: { records } });
    const id = made("workflows", "low");
    await publish(id);
    const app = await call("apps.create", { body: APP as never });
    await call("apps.deploy", { params: { id: app.data.id }, body: { notes: "First version" } });
    const [run = ""] = await runWith(id, [{}]);
    return {
      path: `/workflows/${id}`,
      steps: [
        { label: "Open app", to: `/apps/${place.workspace}/${APP.slug}`, isPage: true },
        { label: "View the run", to: `/runs/${run}` },
        { label: "Read how tables work", to: "/guide/tables", isPage: true },
      ],
    };
  },
};
