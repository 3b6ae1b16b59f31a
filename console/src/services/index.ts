export { ItemPicker, ItemsField } from "./item-picker.tsx";
