const everyday = ["notifications:read", "profile", "knowledge:read"];

export const roles = [
  {
    name: "Service desk",
    description: "Takes incidents and works on them",
    permissions: [
      ...everyday,
      "incidents:read",
      "incidents:write",
      "incidents:resolve",
      "problems:read",
      "changes:read",
      "cmdb:read",
      "records:read",
      "tables:read",
    ],
  },
  {
    name: "Knowledge author",
    description: "Writes the articles that others find their answers in",
    permissions: [...everyday, "knowledge:write", "incidents:read", "problems:read"],
  },
  {
    name: "On-call planner",
    description: "Says who is on call",
    permissions: [...everyday, "tables:read", "records:read", "records:write", "queries:run"],
  },
];
