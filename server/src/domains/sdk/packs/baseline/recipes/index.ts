import type { Descriptor } from "../../descriptor.ts";
import { data } from "./data.ts";
import { messages } from "./messages.ts";
import { models } from "./models.ts";
import { connectors } from "./recipe.ts";

/** Draft workflows for the most common automation patterns, with connectors that need credentials. */
export const recipesPack: Descriptor = {
  id: "recipes_pack",
  name: "Recipes",
  version: "1.0.0",
  description:
    "Thirty example workflows: messages, spreadsheets, leads, orders, issues, approvals and language models. Set the credentials of the connectors that start with “Recipes:”, replace YOUR-… with your ids, and deploy the workflows that you need.",
  author: "Millrace",
  resources: { connectors, workflows: [...messages, ...data, ...models] },
  engines: { millrace: ">=0.1.0" },
};
