import { expect, test } from "vitest";
import { describeAnswers, listAnswers } from "./answers.ts";

const FORM = {
  type: "object",
  properties: {
    system: { type: "string", title: "System", oneOf: [{ const: "erp", title: "SAP ERP" }] },
    choice_2: { type: "string", title: "Reason", enum: ["Permanent", "Temporary"] },
    date: { type: "string", format: "date", title: "Until when" },
    urgent: { type: "boolean", title: "Urgent" },
    proof: { type: "array", title: "Proof", items: { type: "string", "x-file": true } },
    place: {
      type: "object",
      title: "Place",
      properties: { roomNo: { type: "string" }, floor: { title: "Floor" } },
    },
  },
};

test("answers are listed by field title, in form order, with labels of choices", () => {
  const answers = listAnswers(FORM, {
    place: { floor: 2, roomNo: "A1" },
    date: "2026-12-31",
    urgent: false,
    choice_2: "Temporary",
    system: "erp",
    proof: ["file_1", "file_2"],
    comment: "",
  });
  expect(answers.map(({ title, text, fileIds }) => [title, text || fileIds])).toEqual([
    ["System", "SAP ERP"],
    ["Reason", "Temporary"],
    ["Until when", "2026-12-31"],
    ["Urgent", "No"],
    ["Proof", ["file_1", "file_2"]],
    ["Place", "Room no: A1; Floor: 2"],
  ]);
});

test("answers to removed questions come last, with a title derived from the field name", () => {
  const answers = listAnswers(FORM, { costCenter: 4711, tags: ["a", "b"], system: "crm" });
  expect(answers.map(({ title, text }) => [title, text])).toEqual([
    ["System", "crm"],
    ["Cost center", "4711"],
    ["Tags", "a, b"],
  ]);
});

test("a mail has one line per answer", () => {
  const [system] = listAnswers(FORM, { system: "erp" });
  const lines = describeAnswers([
    { title: system?.title ?? "", text: system?.text ?? "", files: [] },
    { title: "Proof", text: "", files: [{ name: "quote.pdf" }, { name: "plan.png" }] },
  ]);
  expect(lines).toBe("System: SAP ERP\nProof: quote.pdf, plan.png");
});
