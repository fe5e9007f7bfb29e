// Uploads a dropped or chosen file; the event "file" carries its name and its location on the server.
export default {
  template: `<div class="bare"><input ref="input" type="file" :accept="accept" :multiple="several" hidden @change="each($refs.input.files)">
    <div class="bare" ref="inside"><slot></slot></div><div v-if="over" class="dropcover"><div>Drop it to open it</div></div></div>`,
  props: { accept: String, longest: Number, whole: Boolean, several: Boolean },
  data() { return { over: false }; },
  mounted() {
    this.zone = this.whole ? document.body : this.$el.firstElementChild?.nextElementSibling || this.$el;
    this.enter = (e) => { if ([...(e.dataTransfer?.types || [])].includes("Files")) { e.preventDefault(); this.over = this.whole; } };
    this.leave = (e) => { if (!e.relatedTarget) this.over = false; };
    this.drop = (e) => { if (!e.dataTransfer?.files.length) return; e.preventDefault(); this.over = false; this.each(e.dataTransfer.files); };
    this.zone.addEventListener("dragover", this.enter);
    this.zone.addEventListener("dragleave", this.leave);
    this.zone.addEventListener("drop", this.drop);
  },
  unmounted() {
    this.zone.removeEventListener("dragover", this.enter);
    this.zone.removeEventListener("dragleave", this.leave);
    this.zone.removeEventListener("drop", this.drop);
  },
  methods: {
    choose() { this.$refs.input.value = ""; this.$refs.input.click(); },
    async each(files) { for (const file of [...files].slice(0, this.several ? 20 : 1)) await this.take(file); },
    async take(file) {
      if (file.size >= this.longest) { this.$emit("refused", `${file.name.slice(0, 80)}: the file is longer than ${this.longest - 1} bytes, the most that is read`); return; }
      try {
        const answer = await fetch(`/file?longest=${this.longest}&name=${encodeURIComponent(file.name)}`, { method: "POST", body: file, headers: { "content-type": "application/octet-stream" } });
        const told = await answer.json();
        if (told.id) this.$emit("file", { id: told.id });
        else this.$emit("refused", told.error);
      } catch { this.$emit("refused", `${file.name.slice(0, 80)}: it could not be read; is it a folder?`); }
    },
  },
};
