export const roles = [
  {
    name: "Data steward",
    description: "Looks after the tables and what is in them",
    permissions: [
      "tables:read",
      "tables:write",
      "records:read",
      "records:write",
      "queries:run",
      "queries:write",
      "migrations:read",
      "notifications:read",
      "profile",
    ],
  },
  {
    name: "Procurement",
    description: "Enters vendors, contacts and assets",
    permissions: [
      "tables:read",
      "records:read",
      "records:write",
      "workflows:read",
      "workflows:trigger",
      "notifications:read",
      "profile",
    ],
  },
  {
    name: "Report reader",
    description: "Runs the saved queries and sees the records behind them",
    permissions: ["tables:read", "records:read", "queries:run", "notifications:read", "profile"],
  },
];
