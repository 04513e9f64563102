import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  server: { proxy: { '/api': 'http://127.0.0.1:7333' } },
  build: {
    // What a page may load is decided by its policy, and nothing in it stands in the page itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    target: 'es2023',
  },
})
