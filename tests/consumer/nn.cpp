// The layers of hexapla/nn.h.
#include "consumer.h"

namespace nn = hexapla::nn;

namespace {

const nn::Offsets kOffsets{0, 2, 5};
const hexapla::Options kShape{{"dim_model", 4}, {"heads", 2}, {"dim_ff", 8}, {"enc_layers", 1}, {"dec_layers", 1}};

// Layers from rows to rows.
template <class Layer>
void call_by_row(nn::Workspace& work, Layer&& layer) {
  const nn::Tensor x = work.zeros(5, 4);
  x.row(1)[2] = 1;
  const nn::Tensor y = layer.forward(work, x);
  std::cout << y.row(1)[2] << ' ' << layer.backward(work, y).row(1)[2] << '\n';
}

template <class Layer>
void call_encoder(nn::Workspace& work, Layer&& layer) {
  const nn::Tensor y = layer.forward(work, work.zeros(5, 4), kOffsets);
  std::cout << y.row(1)[2] << ' ' << layer.backward(work, y).row(1)[2] << '\n';
}

template <class Layer>
void call_decoder(nn::Workspace& work, Layer&& layer) {
  const nn::Tensor y = layer.forward(work, {work.zeros(5, 4), work.zeros(5, 4), kOffsets, kOffsets});
  std::cout << y.row(1)[2] << ' ' << layer.backward(work, y).memory.row(1)[2] << '\n';
}

void call_attention(nn::Workspace& work) {
  nn::MultiHeadAttention attention(kShape);
  const nn::Tensor x = work.zeros(5, 4);
  const nn::Tensor y = attention.forward(work, {x, x, x, kOffsets, kOffsets});
  std::cout << attention.weights(work, 0).values.size() << ' ' << attention.backward(work, y).query.columns() << '\n';
}

void call_generator(nn::Workspace& work) {
  nn::Embedding embedding(7, kShape);
  nn::Generator tied(embedding), generator(4, 7);
  const nn::Layers layers{&embedding, &generator};
  nn::initialize(layers, 1);
  nn::clear_gradients(layers);
  nn::Adam adam = moved(nn::Adam(layers));
  const nn::Ids ids{1, 2, 3, 4, 5};
  work.begin_training(1, 1);
  const nn::Tensor x = embedding.forward(work, ids, kOffsets);
  std::cout << tied.loss(work, x, ids).nll << ' ' << nn::log_softmax(work, nn::add(work, x, x)).row(0)[0] << '\n';
  const nn::Tensor logits = generator.forward(work, x);
  generator.backward(work, logits);
  embedding.backward(work, generator.loss_and_gradient(work, x, ids).dx);
  std::cout << adam.update(work, 0.1) << ' ' << generator.parameters().front().name << ' '
            << (generator.state() != nullptr) << '\n';
}

}  // namespace

void call_layers() {
  nn::Workspace work = moved(nn::Workspace(std::size_t{1} << 26));
  work.begin();
  (void)work.state();
  call_by_row(work, nn::Linear(4, 4));
  call_by_row(work, nn::LayerNorm(4));
  call_by_row(work, nn::Dropout(0.1));
  call_by_row(work, nn::FeedForward(kShape));
  call_encoder(work, nn::EncoderLayer(kShape));
  call_encoder(work, nn::Encoder(kShape));
  call_decoder(work, nn::DecoderLayer(kShape));
  call_decoder(work, nn::Decoder(kShape));
  call_attention(work);
  call_generator(work);
  std::cout << (work.bytes_in_use() > 0) << '\n';
}
