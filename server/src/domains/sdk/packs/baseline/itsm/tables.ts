export const tables = [
  {
    slug: "on_call_shifts",
    name: "On-call shifts",
    description: "Who is paged for which service, and when",
    columns: [
      { name: "service", type: "text", required: true, indexed: true },
      { name: "person", type: "reference", options: { table: "users" }, required: true },
      { name: "startsAt", type: "timestamp", required: true, indexed: true },
      { name: "endsAt", type: "timestamp", required: true },
      { name: "level", type: "integer", options: { min: 1, max: 3 }, default: 1 },
    ],
    indexes: [{ columns: ["service", "startsAt"] }],
  },
  {
    slug: "pages",
    name: "Pages",
    description: "Whom the paging helper has called, and for what",
    columns: [
      { name: "number", type: "autonumber", unique: true },
      { name: "service", type: "text", required: true, indexed: true },
      { name: "summary", type: "text", required: true },
      { name: "person", type: "reference", options: { table: "users" } },
      {
        name: "status",
        type: "enum",
        options: { values: ["sent", "acknowledged", "unanswered"] },
        default: "sent",
        indexed: true,
      },
      { name: "source", type: "text", description: "What it was for, such as INC0000001" },
    ],
  },
];
