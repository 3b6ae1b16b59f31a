import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import type { Ticket } from "../ticket-kind.ts";
import type { Completion } from "./completion.tsx";

/** What `;` and `@` offer on a ticket: texts that the desk keeps, and colleagues. */
export function useLetterCompletion(_ticket: Ticket): Completion {
  const may = useMay();
  const people = useOp(
    "users.list",
    { query: { limit: 200 } },
    { enabled: may("users:read") },
  ).data;
  return useMemo(
    () => ({
      modules: [],
      people: (people?.data ?? [])
        .filter(({ status }) => status === "active")
        .map(({ id, name, email }) => ({ id, label: name, about: email, text: `@${email} ` })),
    }),
    [people],
  );
}
