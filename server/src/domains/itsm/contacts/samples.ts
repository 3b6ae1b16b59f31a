import { resourceSamples } from "#kernel/testing/samples.ts";
import { contacts } from "./contact.ts";
import { organisations } from "./organisation.ts";

let count = 0;

export const samples = [
  ...resourceSamples(contacts, async () => {
    count += 1;
    return { name: "Rosa Lind", address: `rosa${count}@customer.example` };
  }),
  ...resourceSamples(organisations, async () => {
    count += 1;
    return { name: `Customer ${count}`, mailDomains: [`customer${count}.example`] };
  }),
];
