import { useMemo } from "react";
import { call, useOp } from "../../data/api.ts";
import { useColleagues } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import type { Ticket } from "../ticket-kind.ts";
import type { Completion } from "./completion.tsx";

/** The completions of `;` and `@` on a ticket: text modules with the ticket's values, and colleagues. */
export function useLetterCompletion({ id: ticketId }: Ticket): Completion {
  const may = useMay();
  const people = useColleagues();
  const texts = useOp(
    "text_modules.list",
    { query: { limit: 200 } },
    { enabled: may("text_modules.list") },
  ).data;
  return useMemo(
    () => ({
      modules: (texts?.data ?? []).map(({ id, name, keyword, body }) => ({
        id,
        label: keyword,
        about: name,
        text: body,
        load: async () =>
          (await call("text_modules.render", { params: { id }, query: { ticketId } })).data.text,
      })),
      people: people.map(({ id, name, email }) => ({
        id,
        label: name,
        about: email,
        text: `@${email.split("@")[0] ?? ""} `,
      })),
    }),
    [people, texts, ticketId],
  );
}
