export const catalogItems = [
  {
    name: "New employee",
    description: "Accounts, a computer and a place for somebody who begins",
    category: "People",
    icon: "person-add",
    form: {
      type: "object",
      required: ["name", "startsOn"],
      properties: {
        name: { type: "string", title: "Name", minLength: 1, maxLength: 200 },
        startsOn: { type: "string", title: "First day", format: "date" },
        team: { type: "string", title: "Team", maxLength: 100 },
        laptop: {
          type: "string",
          title: "Laptop",
          enum: ["small", "large", "none"],
          default: "small",
        },
      },
      additionalProperties: false,
    },
    approval: { required: true, approverIds: [] },
    workflowId: "pack:workflows/onboarding",
  },
  {
    name: "Access to a system",
    description: "Rights that your work needs",
    category: "Access",
    icon: "key",
    form: {
      type: "object",
      required: ["system", "reason"],
      properties: {
        system: { type: "string", title: "System", minLength: 1, maxLength: 200 },
        role: { type: "string", title: "Role", enum: ["read", "write", "admin"], default: "read" },
        reason: { type: "string", title: "What you need it for", minLength: 1, maxLength: 2_000 },
      },
      additionalProperties: false,
    },
    approval: { required: true, approverIds: [] },
  },
  {
    name: "Software",
    description: "A program for your computer",
    category: "Workplace",
    icon: "app",
    form: {
      type: "object",
      required: ["software"],
      properties: {
        software: { type: "string", title: "Which one", minLength: 1, maxLength: 200 },
        computer: { type: "string", title: "On which computer", maxLength: 100 },
      },
      additionalProperties: false,
    },
  },
];
