/** Drive and YouTube; Sheets has a conversion of its own. */
import { NotConvertible } from "../../conversion.ts";
import { toObject, toText } from "../../n8n-workflow.ts";
import { type ParameterReader, request, type ServiceTable } from "../service-table.ts";

const pathOf = (code: string): string => `"/drive/v3/files/" + encodeURIComponent(${code})`;

const driveFile = "fileId|id";

const searchQuery = (read: ParameterReader): string => {
  const text = read.code("queryString");
  const searched =
    read.raw("searchMethod") === "query"
      ? [`n8n.text(${text ?? '""'})`]
      : text === undefined
        ? []
        : [`"name contains '" + n8n.text(${text}).replaceAll("'", "\\\\'") + "'"`];
  const inside = read.code("filter.folderId");
  const what = read.raw("filter.whatToSearch");
  read.raw("filter.driveId");
  read.raw("filter.fileTypes");
  const types: Readonly<Record<string, string>> = {
    files: `"mimeType != 'application/vnd.google-apps.folder'"`,
    folders: `"mimeType = 'application/vnd.google-apps.folder'"`,
  };
  const kind = types[toText(what)];
  const parts = [
    ...searched,
    ...(inside === undefined ? [] : [`"'" + n8n.idOf(${inside}) + "' in parents"`]),
    ...(kind === undefined ? [] : [kind]),
    ...(read.raw("filter.includeTrashed") === true ? [] : [`"trashed = false"`]),
  ];
  return `[${parts.join(", ")}].filter((one) => one !== "").join(" and ")`;
};

const folder = (read: ParameterReader): string => {
  const code = read.code("folderId") ?? read.code("options.parents");
  return code === undefined ? '["root"]' : `[n8n.idOf(${code})]`;
};

/** The formats in which documents of Google are exported; n8n has these unless the node says otherwise. */
const exportFormats = (read: ParameterReader): string => {
  const conversion = toObject(toObject(read.raw("options.googleFileConversion"))["conversion"]);
  const { docsToFormat, sheetsToFormat, slidesToFormat, drawingsToFormat } = conversion;
  return JSON.stringify({
    "application/vnd.google-apps.document": toText(docsToFormat, "text/html"),
    "application/vnd.google-apps.spreadsheet": toText(sheetsToFormat, "text/csv"),
    "application/vnd.google-apps.presentation": toText(slidesToFormat, "application/pdf"),
    "application/vnd.google-apps.drawing": toText(drawingsToFormat, "image/jpeg"),
  });
};

export const google: ServiceTable = {
  googleDrive: {
    preset: "google_drive",
    title: "Google Drive",
    usual: "file.upload folder.create fileFolder.search drive.create",
    takes: "driveId options.simplifyOutput",
    actions: [
      {
        on: "file.upload",
        action: "request",
        via: {
          action: "request",
          input: request("POST /upload/drive/v3/files", {
            query: { uploadType: '="media"' },
            body: (read) =>
              `n8n.file($item, ${read.code("inputDataFieldName") ?? read.code("binaryPropertyName") ?? '"data"'})`,
          }),
          inputs:
            '[{ method: "PATCH", path: "/drive/v3/files/" + one.body.id, query: { addParents: asked.parent, fields: "*", supportsAllDrives: true }, body: { name: asked.name } }]',
        },
        input: {
          name: (read) =>
            `n8n.text(${read.code("name") ?? read.code("fileName") ?? "Object.values($binary)[0]?.fileName"})`,
          parent: (read) => `${folder(read)}[0]`,
        },
        takes: "binaryData resolveData parents",
        sample: { name: "n", driveId: "d", folderId: "f" },
      },
      {
        on: "file.download",
        action: "request",
        // A document of Google's own has no bytes: it is exported.
        via: {
          action: "get_file",
          input: { fileId: driveFile, fields: '="id,name,mimeType"' },
          inputs:
            '[{ method: "GET", response: "file", path: "/drive/v3/files/" + one.body.id + (asked.formats[one.body.mimeType] ? "/export" : ""), query: asked.formats[one.body.mimeType] ? { mimeType: asked.formats[one.body.mimeType] } : { alt: "media" } }]',
        },
        input: { formats: exportFormats },
        items: (read) => {
          if (read.raw("options.fileName") !== undefined) read.raw("options.fileName");
          const name = toText(read.raw("options.binaryPropertyName"), "data");
          return `n8n.answer(one.body, ${JSON.stringify(name)})`;
        },
        takes: "options.googleFileConversion binaryPropertyName options.fileName",
        notes: ["the file has the name that Drive gives it"],
      },
      {
        on: "file.createFromText",
        action: "upload_text",
        input: { name: "name", content: "content", folderId: (read) => `${folder(read)}[0]` },
      },
      {
        on: "file.copy",
        action: "copy_file",
        input: {
          fileId: driveFile,
          name: "name",
          parents: (read) => (read.raw("folderId") === undefined ? undefined : folder(read)),
        },
        takes: "sameFolder options.copyRequiresWriterPermission",
      },
      {
        on: "file.move folder.move",
        action: "move_file",
        via: {
          action: "get_file",
          input: { fileId: driveFile, fields: '="id,parents"' },
          inputs:
            '[{ fileId: asked.fileId, addParents: asked.to, removeParents: (one.body.parents ?? []).join(",") }]',
        },
        input: { fileId: driveFile, to: (read) => `${folder(read)}[0]` },
      },
      {
        on: "file.update",
        action: "rename_file",
        input: {
          fileId: driveFile,
          name: (read) => {
            if (read.raw("changeFileContent") === true)
              throw new NotConvertible("writes another content to a file");
            return read.text("newUpdatedFileName");
          },
        },
        takes: "options.fields",
      },
      {
        on: "file.share folder.share",
        action: "share_file",
        input: {
          fileId: (read) =>
            `n8n.idOf(${read.code("fileId") ?? read.code("folderNoRootId") ?? '""'})`,
          role: "permissionsUi.permissionsValues.role",
          type: "permissionsUi.permissionsValues.type",
          emailAddress: "permissionsUi.permissionsValues.emailAddress",
          domain: "permissionsUi.permissionsValues.domain",
        },
        takes: "permissionsUi",
        sample: {
          fileId: "f",
          permissionsUi: { permissionsValues: { role: "reader", type: "anyone" } },
        },
      },
      {
        on: "file.deleteFile folder.deleteFolder file.delete folder.delete",
        action: "request",
        input: {
          method: (read) =>
            read.raw("options.deletePermanently") === true ? '"DELETE"' : '"PATCH"',
          path: (read) =>
            pathOf(`n8n.idOf(${read.code("fileId") ?? read.code("folderNoRootId") ?? '""'})`),
          body: (read) =>
            read.raw("options.deletePermanently") === true ? undefined : "{ trashed: true }",
        },
        items: "=[{ success: true }]",
      },
      {
        on: "folder.create",
        action: "create_folder",
        input: { name: "name", parents: folder },
        takes: "options.folderColorRgb",
      },
      {
        on: "fileFolder.search file.list",
        action: "search_files",
        input: {
          q: searchQuery,
          fields:
            '="nextPageToken, files(id, name, mimeType, webViewLink, parents, createdTime, modifiedTime, size)"',
        },
        isList: true,
        takes: "options.fields filter",
      },
    ],
  },
  youTube: {
    preset: "youtube",
    title: "YouTube",
    usual: "channel.getAll video.getAll playlist.getAll playlistItem.add",
    takes: "part options.regionCode",
    actions: [
      { on: "video.get", action: "get_video", input: { id: "videoId" } },
      {
        on: "video.getAll",
        action: "search_videos",
        input: {
          q: "filters.q",
          channelId: "filters.channelId",
          publishedAfter: "filters.publishedAfter",
          order: "options.order",
          type: '="video"',
        },
        isList: true,
        takes: "options.safeSearch",
      },
      {
        on: "video.update",
        action: "update_video",
        input: {
          id: "videoId",
          title: "title",
          categoryId: "categoryId",
          description: "updateFields.description",
          tags: "updateFields.tags|list",
        },
        takes: "regionCode",
      },
      {
        on: "channel.get",
        action: "get_channel",
        input: { id: "channelId" },
      },
      {
        on: "playlistItem.add",
        action: "add_playlist_item",
        input: { playlistId: "playlistId", videoId: "videoId" },
      },
      {
        on: "playlistItem.getAll",
        action: "list_playlist_items",
        input: { playlistId: "playlistId" },
        isList: true,
      },
      {
        on: "playlist.create",
        action: "create_playlist",
        input: {
          title: "title",
          description: "options.description",
          privacyStatus: "options.privacyStatus",
        },
      },
    ],
  },
};
