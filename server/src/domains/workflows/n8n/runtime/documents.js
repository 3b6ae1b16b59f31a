/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** Documents for vector stores: texts of items and files, split as in n8n. */
export function addDocuments(n8n) {
  n8n.chunks = (list, size) =>
    Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
      list.slice(at * size, (at + 1) * size),
    );
  // The texts in a value; each becomes a document.
  n8n.textsOf = (value) => {
    if (typeof value === "string") return [value];
    if (typeof value !== "object" || value === null) return [];
    return Object.values(value).flatMap(n8n.textsOf);
  };
  // Extracts texts from a file in any format.
  n8n.fileTexts = ({ text, rows, data }) => {
    if (typeof text === "string") return [text];
    if (Array.isArray(rows))
      return rows.map((row) =>
        Object.entries(row)
          .map(([name, value]) => `${name}: ${n8n.text(value)}`)
          .join("\n"),
      );
    return n8n.textsOf(data);
  };
  const merge = (parts, size, overlap) => {
    const docs = [];
    let current = [];
    let total = 0;
    const close = () => {
      const doc = current.join("").trim();
      if (doc !== "") docs.push(doc);
    };
    for (const part of parts) {
      if (total + part.length > size && current.length > 0) {
        close();
        while (total > overlap || (total + part.length > size && total > 0)) {
          total -= current[0].length;
          current.shift();
        }
      }
      current.push(part);
      total += part.length;
    }
    close();
    return docs;
  };
  // Splits a text into parts up to a size, if possible at paragraphs, otherwise at lines, words or letters.
  n8n.splitText = (text, size, overlap, separators = ["\n\n", "\n", " ", ""]) => {
    const at = separators.findIndex((one) => one === "" || text.includes(one));
    const separator = separators[at] ?? "";
    const rest = separators.slice(at + 1);
    const parts =
      separator === ""
        ? [...text]
        : text.split(separator).map((one, index) => (index === 0 ? one : separator + one));
    const docs = [];
    let fitting = [];
    for (const part of parts.filter((one) => one !== "")) {
      if (part.length < size) {
        fitting.push(part);
        continue;
      }
      docs.push(...merge(fitting, size, overlap));
      fitting = [];
      docs.push(...(rest.length === 0 ? [part] : n8n.splitText(part, size, overlap, rest)));
    }
    return [...docs, ...merge(fitting, size, overlap)];
  };
  n8n.contextPrompt = (docs) =>
    `You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the question.
If you don't know the answer, just say that you don't know, don't try to make up an answer.
----------------
Context: ${docs.map(({ pageContent }) => pageContent).join("\n\n")}`;
}
