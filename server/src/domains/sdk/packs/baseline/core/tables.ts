const COUNTRY = { maxLength: 2 };

export const tables = [
  {
    slug: "vendors",
    name: "Vendors",
    description: "Whom things are bought from",
    columns: [
      { name: "number", type: "autonumber", unique: true },
      { name: "name", type: "text", required: true, unique: true },
      {
        name: "status",
        type: "enum",
        options: { values: ["prospect", "active", "blocked"] },
        default: "prospect",
        indexed: true,
      },
      { name: "website", type: "text" },
      { name: "country", type: "text", options: COUNTRY, description: "ISO 3166, two letters" },
      { name: "owner", type: "reference", options: { table: "users" } },
      { name: "notes", type: "text" },
    ],
  },
  {
    slug: "contacts",
    name: "Contacts",
    description: "People at vendors",
    columns: [
      { name: "name", type: "text", required: true, indexed: true },
      { name: "email", type: "text", unique: true },
      { name: "phone", type: "text" },
      {
        name: "vendor",
        type: "reference",
        options: { table: "vendors", onDelete: "cascade" },
        required: true,
      },
      {
        name: "topics",
        type: "multi_enum",
        options: { values: ["sales", "support", "billing", "security"] },
      },
    ],
  },
  {
    slug: "assets",
    name: "Assets",
    description: "What the organisation owns or rents",
    columns: [
      { name: "tag", type: "autonumber", unique: true },
      { name: "name", type: "text", required: true, indexed: true },
      {
        name: "category",
        type: "enum",
        options: { values: ["hardware", "software", "service", "facility"] },
        required: true,
        indexed: true,
      },
      {
        name: "status",
        type: "enum",
        options: { values: ["ordered", "in_stock", "in_use", "repair", "retired"] },
        default: "ordered",
        indexed: true,
      },
      { name: "vendor", type: "reference", options: { table: "vendors", onDelete: "set_null" } },
      { name: "assignedTo", type: "reference", options: { table: "users" } },
      { name: "purchasedOn", type: "date" },
      { name: "warrantyUntil", type: "date", indexed: true },
      { name: "cost", type: "decimal", options: { scale: 2, min: 0 } },
      { name: "serialNumber", type: "text", unique: true },
    ],
    indexes: [{ columns: ["category", "status"] }],
  },
];
