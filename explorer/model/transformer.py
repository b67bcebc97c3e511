"""The whole model in its three architectures. Vaswani et al. 2017, figure 1."""

from torch import Tensor, nn

from explorer.config import Config
from explorer.model import masks
from explorer.model.embedding import Embedding
from explorer.model.layers import DecoderLayer, EncoderLayer
from explorer.model.linear import Linear
from explorer.model.norm import make_norm
from explorer.model.tap import Tap


class Stack(nn.Module):
    """One side of the model: embedding, layers, final norm.

    Only pre-norm uses the final norm. Under post-norm the last layer's output is normalized already, and the tap `norm` shows
    that output. The unused norm is kept, so that the same weights serve both placements.
    """

    def __init__(self, config: Config, layer: type[EncoderLayer] | type[DecoderLayer], n_symbols: int) -> None:
        super().__init__()
        self.embedding = Embedding(config, n_symbols)
        self.layers = nn.ModuleList(layer(config) for _ in range(config.n_layers))
        self.normalize = make_norm(config.norm_kind, config.d_model)
        self.config = config
        self.norm = Tap("batch position feature")

    def forward(self, ids: Tensor, *context: Tensor | None) -> Tensor:
        """[batch, position] ids to [batch, position, feature]; `context` is what each layer is given besides x."""
        x = self.embedding(ids)  # [batch, position, feature]
        for layer in self.layers:
            x = layer(x, *context)
        return self.normalized(x)

    def normalized(self, x: Tensor) -> Tensor:
        """[batch, position, feature] the last layer's output, through the final norm under pre-norm."""
        return self.norm(self.normalize(x) if self.config.norm_placement == "pre" else x)


class Generator(nn.Module):
    """From the last vectors to a probability for every symbol of the vocabulary."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.project = Linear(config.d_model, config.n_target_symbols)
        self.logits = Tap("batch position vocab")
        self.probabilities = Tap("batch position vocab")

    def forward(self, x: Tensor) -> Tensor:
        """[batch, position, feature] to logits [batch, position, vocab]."""
        logits = self.logits_of(x)  # [batch, position, vocab]
        # P[v] = exp(logits[v]) / Σ_v exp(logits[v])
        self.probabilities(logits.softmax(dim=-1))
        return logits

    def logits_of(self, x: Tensor) -> Tensor:
        """[…, feature] to logits […, vocab], without the probabilities."""
        # logits = W·x + b
        logits: Tensor = self.logits(self.project(x))
        return logits


class Transformer(nn.Module):
    """The model of a Config: encoder-decoder, encoder-only or decoder-only."""

    overwrites_nothing = True  # No operation of this model writes into a tensor that a tap has shown.

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        both = config.architecture == "encoder-decoder"
        self.encoder = self.decoder = None
        if config.architecture != "decoder-only":
            self.encoder = Stack(config, EncoderLayer, config.vocab_size)
        if config.architecture != "encoder-only":
            self.decoder = Stack(config, DecoderLayer if both else EncoderLayer, config.n_target_symbols)
        self.generator = Generator(config)
        if config.tied_embeddings:
            self.tie()

    def tie(self) -> None:
        """Use one matrix for the embeddings and the generator. Vaswani et al. 2017, section 3.4.

        A source that has its own vocabulary keeps its own matrix.
        """
        # Both have a row of d_model numbers for each symbol: [vocab, d_model].
        shared = self.generator.project.weight
        for stack in (None if self.config.has_two_vocabularies else self.encoder, self.decoder):
            if stack is not None:
                stack.embedding.look_up.weight = shared

    def forward(self, source: Tensor | None, target: Tensor | None) -> Tensor:
        """Ids [batch, position] of the source and the target to logits; a side that the architecture lacks is None.

        Returns logits [batch, position, vocab] at the positions of the target, or of the source in an encoder-only model.
        """
        memory = None if self.encoder is None or source is None else self.encode(source)  # [batch, key, feature]
        if self.decoder is None or target is None:
            return self.generator(memory)
        return self.generator(self.decode(target, memory))

    def encode(self, source: Tensor, real: Tensor | None = None) -> Tensor:
        """[batch, position] ids to the encoder's output [batch, position, feature].

        `real` [batch, head 1, query 1, key] is the padding mask of a batch whose sentences differ in length.
        """
        n = source.shape[1]
        assert self.encoder is not None  # Only architectures with an encoder come here.
        return self.encoder(source, self._may_look(self.config.causal_mask_encoder, n, n, source, real, in_decoder=False))

    def decode(
        self, target: Tensor, memory: Tensor | None, real: Tensor | None = None, written: Tensor | None = None
    ) -> Tensor:
        """[batch, position] ids to the decoder's output [batch, position, feature].

        `memory` [batch, key, feature] is the encoder's output, None in a decoder-only model. `real` is the source's padding
        mask, `written` the target's. The causal mask makes `written` needless: padding comes after the end of a target.
        """
        n = target.shape[1]
        assert self.decoder is not None  # Only architectures with a decoder come here.
        may_look = self.seen_by_decoder(target, written)
        if memory is None:
            return self.decoder(target, may_look)
        # By default every position of the target may see the whole source.
        across = self._may_look(self.config.causal_mask_cross, n, memory.shape[1], target, real)
        return self.decoder(target, memory, may_look, across)

    def seen_by_decoder(self, target: Tensor, real: Tensor | None = None) -> Tensor | None:
        """The mask of the decoder's self-attention, None if it closes nothing; `real` is the padding mask of a batch."""
        n = target.shape[1]
        return self._may_look(self.config.causal_mask, n, n, target, real)

    def _may_look(
        self, causal: bool, n_queries: int, n_keys: int, ids: Tensor, real: Tensor | None = None, *, in_decoder: bool = True
    ) -> Tensor | None:
        """The causal mask and the padding mask together, as the knob `masking` treats them; None closes nothing."""
        masking = self.config.masking
        if masking == "zeros-decoder":
            masking = "zeros" if in_decoder else "usual"
        earlier = masks.causal(n_queries, n_keys).to(ids.device) if causal else None  # [query, key]
        # A key must be visible in both masks; together they broadcast to [batch, head 1, query, key].
        both = earlier if real is None else real if earlier is None else earlier & real
        closed = masks.handled(both, masking, n_queries, n_keys)
        return None if closed is None else closed.to(ids.device)
