import { upload } from "#domains/files/testing/upload.ts";
import type { Sample } from "#kernel/testing/samples.ts";
import { makePdf } from "./testing/pdf.ts";

export const samples: readonly Sample[] = [
  {
    operation: "files.preview",
    async arrange(_owner, world) {
      // The owner of the sweep. `Ask` cannot send bytes.
      const owner = await world.member(["owner"]);
      const { body } = await upload(world, owner, makePdf("Invoice 42"), { name: "invoice.pdf" });
      return { params: { id: body.data.id as string }, by: owner };
    },
  },
];
