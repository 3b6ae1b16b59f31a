export const roles = [
  {
    name: "Data steward",
    description: "Manages tables and their data",
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
    description: "Runs saved queries and views their records",
    permissions: ["tables:read", "records:read", "queries:run", "notifications:read", "profile"],
  },
];
