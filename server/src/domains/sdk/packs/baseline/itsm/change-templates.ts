export const changeTemplates = [
  {
    name: "Restart a service",
    description: "A service that stands on its own is restarted",
    title: "Restart of a service",
    impact: 3,
    justification: "It is done every week, and comes back within a minute.",
    implementationPlan:
      "1. Take the node out of the load balancer.\n2. Restart the service.\n3. Look at its health check.\n4. Put the node back.",
    rollbackPlan: "Start the former version, and leave the node out until its health check passes.",
    testPlan: "The health check answers 200 three times in a row.",
  },
  {
    name: "Renew a certificate",
    description: "A certificate is replaced before it runs out, by one of the same names",
    title: "Renewal of a certificate",
    impact: 3,
    justification: "The former one runs out, and the new one has the same names and issuer.",
    implementationPlan:
      "1. Keep a copy of the former certificate and key.\n2. Install the new ones.\n3. Reload the server.",
    rollbackPlan: "Put the copy back and reload the server.",
    testPlan: "A connection from outside shows the new date, and the whole chain.",
  },
  {
    name: "Add a user to a group",
    description: "Somebody gets the rights of a role that their manager asked for",
    title: "Membership of a group",
    impact: 3,
    justification: "It was asked for and approved in a request.",
    implementationPlan: "1. Check who approved the request.\n2. Add the user to the group.",
    rollbackPlan: "Take the user out of the group.",
    testPlan: "The user signs in again and reaches what the role is for.",
  },
];
