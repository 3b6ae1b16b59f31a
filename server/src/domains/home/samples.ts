import { browser } from "#domains/apps/testing/apps.ts";
import type { Sample } from "#kernel/testing/samples.ts";

export const samples: readonly Sample[] = [
  { operation: "home.show", arrange: async () => ({ partitioned: false }) },
  { operation: "home.list_apps", arrange: async () => ({}) },
  { operation: "home.waiting", arrange: async () => ({}) },
  {
    operation: "home.log_out",
    arrange: async (_owner, world) => ({
      by: browser(world, (await world.member(["viewer"])).token),
      status: 303,
    }),
  },
  {
    operation: "home.show_ticket",
    arrange: async () => ({ params: { number: "INC0000012" }, openParams: true, status: 303 }),
  },
  {
    operation: "home.show_notification",
    arrange: async () => ({
      params: { id: "ntf_01jd0000000000000000000000" },
      openParams: true,
      status: 303,
    }),
  },
  {
    operation: "home.show_mail_settings",
    arrange: async () => ({ partitioned: false, status: 303 }),
  },
  { operation: "guides.list", arrange: async () => ({ partitioned: false }) },
  {
    operation: "guides.search",
    arrange: async () => ({ query: { q: "dead letter" }, partitioned: false }),
  },
  { operation: "guides.read", arrange: async () => ({ params: { name: "first-steps" } }) },
  { operation: "guides.show", arrange: async () => ({ params: { name: "first-steps" } }) },
];
