const officeHours = {
  timezone: "UTC",
  hours: [{ days: [1, 2, 3, 4, 5], from: "08:00", to: "18:00" }],
  holidays: [],
};

export const slaPolicies = [
  {
    name: "Incidents of priority 1",
    entity: "incident",
    conditions: { priority: 1 },
    targets: [
      { metric: "response", minutes: 15 },
      { metric: "resolution", minutes: 240 },
    ],
    calendar: null,
    pauseOn: [],
  },
  {
    name: "Incidents of priority 2",
    entity: "incident",
    conditions: { priority: 2 },
    targets: [
      { metric: "response", minutes: 60 },
      { metric: "resolution", minutes: 480 },
    ],
    calendar: officeHours,
    pauseOn: ["on_hold"],
  },
  {
    name: "Incidents of lesser priority",
    entity: "incident",
    conditions: { priority: { gte: 3 } },
    targets: [
      { metric: "response", minutes: 240 },
      { metric: "resolution", minutes: 2_400 },
    ],
    calendar: officeHours,
    pauseOn: ["on_hold"],
  },
  {
    name: "Requests",
    entity: "request",
    targets: [{ metric: "resolution", minutes: 3_000 }],
    calendar: officeHours,
    pauseOn: ["awaiting_approval"],
  },
];

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
    description: "Manages on-call schedules",
    permissions: [...everyday, "tables:read", "records:read", "records:write", "queries:run"],
  },
];
